import type { Args } from './words.ts';

/** Why a text is not the plain YAML that is read here, as the end of a sentence. */
export function yamlFault(fault: string, found: Args[string]): string {
  switch (fault) {
    case 'alias':
      return `it uses the alias \`*${found}\`, and aliases are not followed`;
    case 'anchor':
      return `it sets the anchor \`&${found}\`, and anchors are not read`;
    case 'tag':
      return `it uses the tag \`${found}\`, and tags are not read`;
    case 'merge-key':
      return 'it uses the merge key `<<`, which is not read';
    case 'duplicate-key':
      return `the key \`${found}\` stands there twice`;
    case 'key-not-text':
      return `the key \`${found}\` is no text; put it in quotes`;
    case 'several-documents':
      return 'it holds several YAML documents';
    case 'directive':
      return `it uses the directive \`${found}\`, and directives are not read`;
    case 'nesting':
      return 'it is nested more than 64 deep';
    default:
      return `YAML says: ${found}`;
  }
}

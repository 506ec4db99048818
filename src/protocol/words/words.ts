import type { Problem, ProblemCode } from '../model.ts';

/** What is wrong and why it matters, and what to write instead; each in whole sentences. */
export interface ProblemWords {
  reason: string;
  hint: string;
}

export type Args = Problem['args'];

/** The words of one problem, or how they are made from its details. */
type Wording = ProblemWords | ((args: Args) => ProblemWords);

export type Wordings<Code extends ProblemCode> = Record<Code, Wording>;

/** Why a text is not the plain YAML that is read here, as the end of a sentence. */
export function unsupportedYaml(fault: string, found: Args[string]): string {
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

import type { Problem, ProblemCode } from '../model.ts';

type DocumentCode = Exclude<ProblemCode, `block-${string}` | `legacy-${string}`>;

/** Words for what is wrong with a document as a whole, its headings, fences and frontmatter. */
/** Where a reference would stand for a name. */
const NAMING = new Set(['tool_name', 'arguments']);

export const DOCUMENT_WORDS: Wordings<DocumentCode> = {
  'document-too-large': ({ what, size, limit }) => ({
    reason:
      what === 'time'
        ? `Reading the document takes longer than ${limit} s.`
        : `The document has ${size} ${what}; at most ${limit} are read.`,
    hint: 'Split it into several protocols.',
  }),
  'document-too-deep': ({ what }) => ({
    reason: `${what === 'blocks' ? 'Lists and quotes are' : 'Values are'} nested more than 64 deep here.`,
    hint: 'Flatten the structure.',
  }),
  'document-invalid-text': ({ what }) => INVALID_TEXT[String(what)] ?? INVALID_TEXT['utf-8']!,
  'no-h1': {
    reason: 'The document has no top-level heading, so there is no protocol in it.',
    hint: 'Begin with a line such as `# Release an npm package`; each `##` under it is a step.',
  },
  'text-before-h1': {
    reason: 'The text before the first top-level heading belongs to no protocol and would be lost.',
    hint: 'Move it below the `#` heading. Only frontmatter, comments and blank lines may come before it.',
  },
  'no-steps': ({ title }) => ({
    reason: `The protocol ${quoted(title)} has no steps, so a run has nothing to do.`,
    hint: 'Give each step a `##` heading below the title.',
  }),
  'slug-with-several-chains': ({ slug, chains }) => ({
    reason: `The frontmatter gives the slug ${quoted(slug)}, but the document contains ${chains} protocols and a slug can name only one.`,
    hint: 'Remove the slug, so that each is named after its title, or put each protocol into a separate file.',
  }),
  'duplicate-slug': ({ slug, line }) => ({
    reason: `This title gives the slug ${quoted(slug)}, as the one in line ${line} already does.`,
    hint: 'Choose titles that differ in more than punctuation.',
  }),
  'duplicate-section': ({ label, line }) => ({
    reason: `There is a section ${quoted(label)} already, in line ${line}.`,
    hint: 'Join the two, or give this one another name if it is a step.',
  }),
  'heading-too-long': ({ length, limit }) => ({
    reason: `This heading has ${length} characters; at most ${limit} are read as a title or the name of a step.`,
    hint: 'Shorten it and move the rest into the text below.',
  }),
  'heading-without-space': ({ text }) => ({
    reason: `${code(String(text))} isn't a heading, because a space is missing after the marks. The step would be text of the step before it.`,
    hint: 'Put a space after the marks, or a backslash before them if it is text.',
  }),
  'reference-unknown': ({ name, known }) => ({
    reason: `${code(`{{${name}}}`)} names no input of this protocol and no capture of an earlier step.`,
    hint:
      known === '' || known === undefined
        ? `Declare ${name} under inputs in the frontmatter.`
        : `Known here: ${known}. Declare ${name} under inputs, or correct the name.`,
  }),
  'reference-in-command': ({ name, key }) => ({
    reason: NAMING.has(String(key))
      ? `${code(`{{${name}}}`)} in ${code(String(key))} isn't replaced: a tool and the keys of its arguments are named exactly.`
      : `${code(`{{${name}}}`)} in ${code(String(key))} isn't replaced, because values are never spliced into commands and patterns.`,
    hint: NAMING.has(String(key))
      ? 'Write the name itself. Values of arguments may contain references.'
      : key === 'cmd' || key === 'command' || key === 'verify'
        ? `Write ${code(`"$${name}"`)}: commands get inputs and captures as environment variables.`
        : key === 'workdir'
          ? `Write the directory itself, or begin the command with ${code(`cd "$${name}" &&`)}.`
          : `A pattern has no variables. Write the value itself, or compare in the command: ${code(`test "$(command)" = "$${name}"`)}.`,
  }),
  'capture-unusable': captureWords,
  'fence-unclosed': {
    reason: 'This code fence is never closed, so everything after it is code, including headings and steps.',
    hint: 'Close it with a line of as many backticks or tildes as it begins with.',
  },
  'fence-nested': ({ line, marker }) => ({
    reason: `This fence is inside the one that begins in line ${line} and has the same length. The next fence closes the outer one, so text is read as code after it, and code as text.`,
    hint: `Give the outer fence more marks, for example ${fenceLonger(marker)}, or close it before this line.`,
  }),
  'fence-inline': ({ language }) => ({
    reason:
      'A code fence must begin its line. This one follows other text, so the fence that should close it opens a new block.',
    hint: `Put ${code(`\`\`\`${language}`)} on a separate line.`,
  }),
  'html-unclosed': {
    reason:
      'This comment or HTML element is never closed, so everything after it is hidden, including headings and steps.',
    hint: 'Close it, for a comment with `-->`.',
  },
  'frontmatter-unreadable': ({ fault, found }) => ({
    reason: `The frontmatter cannot be read: ${fault === 'not-a-mapping' ? "it isn't a mapping of keys to values" : unsupportedYaml(String(fault), found)}.`,
    hint: 'Write plain YAML such as `slug: my-protocol`. For a horizontal rule, leave a blank line before it.',
  }),
  'frontmatter-unterminated': {
    reason: 'The frontmatter that begins in line 1 is never closed, so it is read as text.',
    hint: 'Close it with a line of three hyphens.',
  },
  'frontmatter-misplaced': {
    reason:
      'Frontmatter is read at the very beginning of a file only. Here it is a horizontal rule and a heading, so it would become a step.',
    hint: 'Move it to line 1, or put this protocol into a separate file.',
  },
  'frontmatter-bad-slug': ({ found }) => ({
    reason: `${code(String(found))} isn't a valid slug. A slug is lower-case words of a-z and 0-9, joined by single hyphens, with at most 64 characters.`,
    hint: 'Write for example `slug: release-npm-package`; put quotes around one that consists of digits.',
  }),
  'frontmatter-bad-version': ({ found, type }) => ({
    reason: `${code(String(found))} isn't a semantic version${type === 'string' ? '' : ', which is a text of three numbers'}.`,
    hint: 'Write for example `version: 1.2.0`.',
  }),
  'frontmatter-bad-inputs': inputWords,
  'frontmatter-bad-holds': ({ path, fault }) => ({
    reason: `${code(String(path))} ${fault}.`,
    hint: 'Write for example `holds: [{match: {command: git push}}]`.',
  }),
  'frontmatter-bad-tags': ({ found }) => ({
    reason: `${code(String(found))} isn't a list of tags. Each tag must be a text.`,
    hint: 'Write for example `tags: [release, npm]`; put quotes around numbers.',
  }),
};

const INVALID_TEXT: Readonly<Record<string, { reason: string; hint: string }>> = {
  'utf-8': {
    reason: "The document isn't valid UTF-8: these bytes are not a character.",
    hint: 'Save it as UTF-8.',
  },
  nul: {
    reason: "The document contains a NUL character, so it isn't a text file.",
    hint: 'Remove it; a file saved as UTF-16 must be saved as UTF-8.',
  },
  surrogate: {
    reason: "The document contains half of a surrogate pair, which isn't a character.",
    hint: 'Remove it or write the whole character.',
  },
};

/** A text of the document inside a sentence. */
export function quoted(value: Args[string]): string {
  return JSON.stringify(String(value));
}

/** A piece of markdown inside a sentence; one that contains backticks is in quotes. */
export function code(text: string): string {
  return text.includes('`') ? `"${text}"` : `\`${text}\``;
}

/** A fence with one mark more than the given one. */
export function fenceLonger(marker: Args[string]): string {
  const text = String(marker);
  return code(text + text[0]);
}

const NAME_HINT =
  'Names have capital letters, digits and underscores, begin with a letter and have at most 64 characters.';

function nameReason(name: Args[string], issue: Args[string]): string {
  return issue === 'name-reserved'
    ? `${quoted(name)} can't be a name here, because the variable decides which programs run or is always passed.`
    : `${quoted(name)} can't be a name here.`;
}

function captureWords({ name, issue, from, kind }: Args): { reason: string; hint: string } {
  switch (issue) {
    case 'name-form':
    case 'name-reserved':
      return {
        reason: nameReason(name, issue),
        hint: issue === 'name-form' ? NAME_HINT : 'Choose another name.',
      };
    case 'name-taken':
      return {
        reason: `The name ${quoted(name)} is already used by an earlier ${kind}.`,
        hint: 'Choose another name: inputs and captures of a protocol share their names.',
      };
    case 'capture-both':
      return {
        reason: `The capture ${quoted(name)} has both a pattern and a json_pointer.`,
        hint: 'Keep one of them.',
      };
    default:
      return {
        reason: `The capture ${quoted(name)} reads its value from ${quoted(from)}, which the proof of this step doesn't have.`,
        hint: 'Use stdout with a shell proof, result with an mcp proof, and answer with user_input or comment.',
      };
  }
}

const INPUT_ISSUES: Readonly<Record<string, string>> = {
  'description-type': 'needs a text as description',
  'pattern-type': 'needs a text as pattern',
  'choices-type': 'needs a list of texts as choices',
  'type-type': 'needs number or boolean as type, and no type for a text',
  'default-type': 'needs a text, a number, true or false as default',
  'secret-type': 'needs true or false as secret',
  'several-limits': 'has more than one of pattern, choices and type',
  'secret-default': 'is secret, but has its value written as default',
  'default-fits-not': 'has a default that its own pattern, choices or type refuses',
  'input-type': 'is not an object with keys such as description and default',
};

function inputWords({ issue, name, key, suggestion, known, reason }: Args): { reason: string; hint: string } {
  switch (issue) {
    case 'inputs-type':
      return {
        reason: 'The inputs are not a mapping from names to definitions.',
        hint: 'Write for example `inputs: { TARGET_HOST: { description: Load balancer to drain } }`.',
      };
    case 'name-form':
    case 'name-reserved':
      return {
        reason: nameReason(name, issue),
        hint: issue === 'name-form' ? NAME_HINT : 'Choose another name.',
      };
    case 'unknown-key':
      return {
        reason: `The input ${quoted(name)} has an unknown key ${code(String(key))}.`,
        hint:
          suggestion === undefined ? `The keys are ${known}.` : `Did you mean ${code(String(suggestion))}?`,
      };
    case 'pattern':
      return {
        reason: `The pattern of the input ${quoted(name)} is not a valid RE2 pattern: ${reason}.`,
        hint: 'RE2 has no look-around, no back-references and no possessive quantifiers.',
      };
    default:
      return {
        reason: `The input ${quoted(name)} ${INPUT_ISSUES[String(issue)] ?? "can't be used"}.`,
        hint: '',
      };
  }
}

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
      return `the key \`${found}\` occurs twice`;
    case 'key-not-text':
      return `the key \`${found}\` isn't a text; put it in quotes`;
    case 'several-documents':
      return 'it contains several YAML documents';
    case 'directive':
      return `it uses the directive \`${found}\`, and directives are not read`;
    case 'nesting':
      return 'it is nested more than 64 deep';
    default:
      return `the YAML parser reports: ${found}`;
  }
}

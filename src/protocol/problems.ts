import type { Problem, ProblemCode } from './model.ts';
import {
  type Args,
  code,
  DOCUMENT_WORDS,
  fenceLonger,
  type ProblemWords,
  quoted,
  unsupportedYaml,
  type Wordings,
} from './words/document.ts';
import { invalidWords } from './words/invalid-value.ts';

type BlockCode = Extract<ProblemCode, `block-${string}`>;

const FENCE = '```json';

/** Words for step blocks that cannot be used. */
const BLOCK_WORDS: Wordings<BlockCode> = {
  'block-unreadable': ({ format, fault, found }) =>
    format === 'yaml'
      ? {
          reason: `This step block cannot be read: ${unsupportedYaml(String(fault), found)}.`,
          hint: 'Write plain YAML, or JSON in a json fence.',
        }
      : {
          reason: `This step block isn't valid JSON: ${jsonFault(String(fault), found)}.`,
          hint: jsonHint(String(fault)),
        },
  'block-invalid': invalidWords,
  'block-unknown-key': ({ key, path, suggestion, known }) => ({
    reason: isOldInterpreterKey(key, path)
      ? `The key ${code(String(key))} of older protocols is not migrated: it changes how the interpreter runs the command.`
      : `There is no key ${code(String(key))}${path === '' ? ' in a step block' : ` in ${code(String(path))}`}, so it would have no effect.`,
    hint: isOldInterpreterKey(key, path)
      ? `Write its meaning into the command, such as ${code('set -euo pipefail')} for flags and ${code('set -- "a b"')} for args; then remove the key.`
      : suggestion === undefined
        ? known === undefined || known === ''
          ? 'Remove it.'
          : `Remove it; the keys here are ${known}.`
        : `Did you mean ${code(String(suggestion))}?`,
  }),
  'block-wrong-language': ({ language, expected }) => ({
    reason: `This reads like a step block, but ${String(expected).includes(' ') ? `the word after its language isn't ${code('proof')}` : `its fence ${language === '' ? 'has no language' : `is tagged ${quoted(language)}`}`}, so it would be read as an example.`,
    hint: `Begin the fence with ${code(`\`\`\`${expected}`)}. To show a block without demanding it, put it into a longer fence tagged markdown.`,
  }),
  'block-not-last': ({ line }) => ({
    reason: `A step block must be the last code block of its step, but another one follows in line ${line}.`,
    hint: 'Move the step block to the end of the step.',
  }),
  'block-duplicate': ({ line, isLine }) => ({
    reason: isLine
      ? `This proof line makes a second demand: the step has one in line ${line} already.`
      : `A step can have one step block, and this step has another in line ${line}.`,
    hint: 'Keep one of them, or make two steps of it. To show a block without demanding it, put it into a longer fence tagged markdown.',
  }),
  'block-nested': (args) => ({ reason: nestedReason(args), hint: nestedHint(args) }),
  'block-outside-step': ({ line }) => ({
    reason: `This ${line ? 'proof line' : 'step block'} is outside any step, so no run would demand it.`,
    hint: 'Move it under the `##` heading of the step that it belongs to. Triggers, completion rule and the text under the title demand nothing.',
  }),
  'block-pseudo-fence': {
    reason:
      'The fence of a step block must begin its line. This one follows other text, so the block is read as text and the closing fence opens a new block.',
    hint: `Put ${code(FENCE)} on a separate line. To show a block without demanding it, put it into a longer fence tagged markdown.`,
  },
  'block-unfenced': {
    reason: 'This reads like a step block, but it has no code fence, so it would be read as text.',
    hint: `Put a line ${code(FENCE)} before it and a line of three backticks after it.`,
  },
  'block-unclosed-fence': {
    reason: 'The fence of this step block is never closed, so everything after it is part of the block.',
    hint: 'Close it with a line of as many backticks or tildes as it begins with.',
  },
  'block-bad-pattern': ({ path, reason }) => ({
    reason: `The pattern in ${code(String(path))} isn't a valid RE2 pattern: ${reason}.`,
    hint: 'RE2 has no look-around, no back-references and no possessive quantifiers.',
  }),
};

const PLACES: Readonly<Record<string, string>> = {
  list: 'in a list',
  quote: 'in a quote',
  footnote: 'in a footnote',
  html: 'in a comment or HTML',
  table: 'in a table',
  indented: 'in code that is indented by four spaces or more',
  heading: 'in a heading',
};

/** `flags` and `args` that pass more to the interpreter than the command. */
function isOldInterpreterKey(key: Args[string], path: Args[string]): boolean {
  return (key === 'flags' || key === 'args') && String(path).endsWith('.shell');
}

function nestedReason({ in: where, line, marker }: Args): string {
  if (where === 'fence') {
    return `A step block begins inside the fence of line ${line}, which is as long (${code(String(marker))}): the next fence closes the outer one, and the block is cut in two.`;
  }
  return `This ${line ? 'proof line' : 'step block'} is ${PLACES[String(where)]}, where it isn't read.`;
}

function nestedHint({ in: where, line, marker }: Args): string {
  switch (where) {
    case 'fence':
      return `Close the outer fence before this line, or give it more marks, for example ${fenceLonger(marker)}.`;
    case 'heading':
      return 'Write it as a separate paragraph, with a blank line after it.';
    default:
      return line
        ? "Write it as a separate paragraph, or as a one-line item in a list that isn't nested. To show it without demanding it, put it into a code fence."
        : 'Move it to the end of the step, without indentation. To show a block without demanding it, put it into a fence tagged markdown.';
  }
}

function jsonFault(fault: string, found: Args[string]): string {
  switch (fault) {
    case 'comment':
      return 'JSON has no comments';
    case 'trailing-comma':
      return 'there is a comma after the last item';
    case 'curly-quote':
      return 'it uses curly quotes';
    case 'single-quote':
      return 'it uses single quotes';
    case 'unquoted-key':
      return `the key ${quoted(found)} has no quotes around it`;
    case 'missing-comma':
      return `a comma is missing before ${quoted(found)}`;
    case 'unfinished':
      return 'it ends too early; a bracket or quote is not closed';
    case 'line-break-in-string':
      return 'a text is not closed on its line';
    case 'escape':
      return "a string contains a character or an escape that JSON doesn't allow";
    case 'after-end':
      return `there is more after the closing bracket: ${quoted(found)}`;
    case 'empty':
      return 'it is empty';
    default:
      return `${quoted(found)} does not belong here`;
  }
}

function jsonHint(fault: string): string {
  switch (fault) {
    case 'comment':
      return 'Move the remark into the text of the step.';
    case 'trailing-comma':
      return 'Remove it.';
    case 'curly-quote':
    case 'single-quote':
    case 'unquoted-key':
      return 'Use straight double quotes.';
    case 'line-break-in-string':
      return 'Write a line break as \\n.';
    case 'escape':
      return 'Write a backslash as \\\\ and a tab as \\t.';
    default:
      return `Write for example {"proof_of_work": {"type": "shell", "shell": {"cmd": "npm test"}}}.`;
  }
}

type LegacyCode = Extract<ProblemCode, `legacy-${string}`>;

/** Words for older spellings, which are understood and should be rewritten. */
const LEGACY_WORDS: Wordings<LegacyCode> = {
  'legacy-challenge-key': {
    reason: 'The key `challenge` is the older name of `proof_of_work`.',
    hint: 'Rename it.',
  },
  'legacy-proof-line': ({ type, ignored, doubtful }) => ({
    reason: [
      `This proof line is the older spelling of a step block${type === undefined ? '' : ` of type ${code(String(type))}`}.`,
      ignored === undefined ? '' : `The text after the command isn't part of it: ${JSON.stringify(ignored)}.`,
      doubtful ? 'The whole line is read as a shell command, though it looks like a sentence.' : '',
    ]
      .filter(Boolean)
      .join(' '),
    hint: doubtful
      ? 'Write a step block; for a sentence, one that asks for a comment.'
      : 'Write a step block instead: a json fence at the end of the step.',
  }),
  'legacy-missing-type': ({ type }) => ({
    reason: `The proof has no ${code('type')}. Its object ${code(String(type))} decides the type.`,
    hint: `Add "type": "${type}".`,
  }),
  'legacy-interpreter-flags': ({ key }) => ({
    reason: `The key ${code(String(key))} of older protocols has no effect: kairos passes the command to its interpreter.`,
    hint: 'Remove it.',
  }),
  'legacy-flat-shell': ({ key }) => ({
    reason: `${code(String(key))} is directly in the proof, which is the older spelling of a shell proof.`,
    hint: 'Put it into an object: "type": "shell", "shell": {"cmd": "…"}.',
  }),
};

const WORDS: Wordings<Problem['code']> = { ...DOCUMENT_WORDS, ...BLOCK_WORDS, ...LEGACY_WORDS };

/**
 * Describes a problem in words: `reason` names the fault and why it matters, `hint` what to write instead (or
 * nothing).
 */
export function describeProblem(problem: Problem): ProblemWords {
  const wording = WORDS[problem.code];
  return typeof wording === 'function' ? wording(problem.args) : wording;
}

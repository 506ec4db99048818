import { shorthandOf } from '../../../protocol/render.ts';
import { stepBlockSchema } from '../../../protocol/schema.ts';

/** Builds the documents of rule examples, so that each example contains only what matters to its rule. */

interface WrittenExample {
  title: string;
  /** A whole document. */
  source: string;
  /** What the rule reports, in order: place (LINE:COLUMN) → reason; null: any. Absent in a good example. */
  findings?: Readonly<Record<string, string | null>>;
  /** The document after the rule's fixes, safe and unsafe, where it has any. */
  fixed?: string;
  /** Other documents of the same call, for rules that compare documents. Nothing is expected of them. */
  others?: { path: string; source: string }[];
  /** Paths that exist next to the document, for rules that follow references. */
  files?: string[];
}

/** An example as tests, pages and `--explain` read it. `line` and `column` are 1-based. */
export interface RuleExample extends Omit<WrittenExample, 'findings'> {
  findings: { line: number; column: number; reason?: string }[];
}

/** By the id of the rule. */
export type RuleExamples = Readonly<Record<string, WrittenExample[]>>;

/** Reads the places of an example's findings. */
export function readExample({ title, source, findings = {}, ...more }: WrittenExample): RuleExample {
  const read = Object.entries(findings).map(([place, reason]) => {
    const [line = 0, column = 0] = place.split(':').map(Number);
    return { line, column, ...(reason === null ? {} : { reason }) };
  });
  return { title, source, findings: read, ...more };
}

/** A chain: title, description or sections, steps; parted by blank lines. */
export function chain(title: string, ...parts: string[]): string {
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

/** A step with a text and, when given, a step block: in shorthand where that has room for it, else on one line of JSON. */
export function step(title: string, text: string, block?: unknown): string {
  return [`## ${title}`, ...(text === '' ? [] : [text]), ...(block === undefined ? [] : [fence(block)])].join(
    '\n\n',
  );
}

/** A step whose step block is in the full form, though shorthand has room for it. */
export function fullStep(title: string, text: string, block: unknown): string {
  return step(title, `${text}\n\n${json(block)}`);
}

function fence(block: unknown): string {
  const read = stepBlockSchema.safeParse(block);
  const short = read.success ? shorthandOf(read.data) : null;
  return short === null ? json(block) : `\`\`\`${short.info}\n${short.text}\n\`\`\``;
}

const json = (block: unknown) => `\`\`\`json\n${spaced(block)}\n\`\`\``;

/** A step block with a shell proof. */
export function shellBlock(cmd: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 60, ...more } } };
}

/** A step block with a question to a person. */
export function userInputBlock(prompt: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { proof_of_work: { type: 'user_input', user_input: { prompt, ...more } } };
}

/** A step block with a comment. */
export function commentBlock(min_length: number): Record<string, unknown> {
  return { proof_of_work: { type: 'comment', comment: { min_length } } };
}

/** JSON on one line, as people write it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`;
}

/** A proposal with which nothing is wrong; rules show theirs by changing it. */
const SOUND = {
  action_type: 'write',
  target: { resource_type: 'database', domain: 'db.example.org' },
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
  approval_class: 'single',
};

/**
 * A chain of a check, a question, and a gated command (line 24) whose proposal differs from a sound one as
 * given.
 */
export function gatedExample(proposal: Record<string, unknown>, cmd = 'make migrate'): string {
  return chain(
    'Migrate',
    step('Test', 'Run the tests.', shellBlock('make test')),
    step(
      'Ask',
      'Ask the owner.',
      userInputBlock('Do you want to migrate the database now?', { choices: ['migrate now'] }),
    ),
    step('Migrate', 'Migrate it.', { proposal: { ...SOUND, ...proposal }, ...shellBlock(cmd) }),
  );
}

/** A step whose proof is a command, in the shorthand. */
export const shStep = (title: string, command: string, words = '') =>
  step(title, `${title}.`, undefined).concat(`\n\n\`\`\`sh proof timeout=1m${words}\n${command}\n\`\`\``);

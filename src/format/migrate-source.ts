import { canonical } from '../base/canonical.ts';
import { KairosError } from '../base/errors.ts';
import { applyEdits } from '../lint/edits.ts';
import type { Fix } from '../lint/rule.ts';
import type { ParseResult, Problem, StepNode } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { blockEdit } from './block-edit.ts';
import {
  type Decision,
  fromProblem,
  notACommand,
  placeholderDecisions,
  wordsAfterCommand,
} from './decision.ts';
import { proofLineEdits } from './proof-line-edit.ts';
import { readsAsProse } from './reads-as-prose.ts';

export interface Migration {
  text: string;
  /** In the order of the text; places are those of the migrated text. */
  decisions: Decision[];
}

/** A renamed block is readable only in the next round. */
const MAX_ROUNDS = 4;

/**
 * Rewrites older proof lines and spellings of a document into step blocks of today; what every step demands stays the same.
 * What only a human can decide is left as it is and told.
 */
export async function migrateSource(source: string): Promise<Migration> {
  let parsed = await parseProtocol(source);
  const words: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { text, count } = applyEdits(parsed.document.source, await editsOf(parsed, words));
    if (count === 0) break;
    const next = await parseProtocol(text);
    refuseChange(parsed, next);
    parsed = next;
  }
  return { text: parsed.document.source, decisions: decisionsOf(parsed, words) };
}

async function editsOf({ document, messages }: ParseResult, words: string[]): Promise<Fix[]> {
  const { source, chains } = document;
  const edits = messages.flatMap((problem) => renameEdit(source, problem) ?? []);
  for (const step of chains.flatMap(({ steps }) => steps)) {
    const { block } = step;
    if (block === null) continue;
    const older = messages.filter((problem) => problem.code.startsWith('legacy-') && isIn(problem, step));
    const line = older.find(({ code }) => code === 'legacy-proof-line');
    if (line !== undefined) {
      if (isSentence(line, commandOf(step))) continue;
      const { ignored } = line.args;
      if (ignored !== undefined) words.push(String(ignored));
      edits.push(...proofLineEdits(source, step, block, ignored === undefined ? null : String(ignored)));
    } else if (older.length > 0) {
      const edit = await blockEdit(source, block);
      if (edit !== null) edits.push(edit);
    }
  }
  return edits;
}

/** A later generation of the format called the demand `contract`. */
function renameEdit(source: string, { code, args, place }: Problem): Fix | null {
  if (code !== 'block-unknown-key' || args.key !== 'contract' || args.path !== '') return null;
  const range: [number, number] = [place.start.offset, place.end.offset];
  const written = source.slice(...range);
  return { range, replacement: written.replace('contract', 'proof_of_work'), safe: true };
}

function isIn({ place }: Problem, step: StepNode): boolean {
  return place.start.offset >= step.place.start.offset && place.start.offset < step.place.end.offset;
}

function commandOf({ block }: StepNode): string | null {
  const proof = block?.value.proof_of_work;
  return proof?.type === 'shell' ? proof.shell.cmd : null;
}

function isSentence({ args }: Problem, command: string | null): boolean {
  return command !== null && (args.doubtful === true || readsAsProse(command));
}

function decisionsOf({ document, messages }: ParseResult, words: readonly string[]): Decision[] {
  const steps = document.chains.flatMap((chain) => chain.steps);
  const decisions = messages.filter(({ severity }) => severity === 'error').map(fromProblem);
  for (const problem of messages) {
    if (problem.code !== 'legacy-proof-line') continue;
    const step = steps.find((candidate) => isIn(problem, candidate));
    // Of two in a step neither makes a demand; that is told as an error.
    if (step?.block != null) decisions.push(notACommand(problem.place, commandOf(step) ?? ''));
  }
  for (const text of words) {
    const step = steps.find(({ body }) => body.includes(text));
    if (step !== undefined) decisions.push(wordsAfterCommand(step.labelPlace, text));
  }
  decisions.push(...placeholderDecisions(document));
  return decisions.sort((a, b) => a.place.start.offset - b.place.start.offset);
}

/** Readable demands and the order of steps must come through every round unchanged. */
function refuseChange(before: ParseResult, after: ParseResult): void {
  const [old, now] = [before, after].map(({ document }) => document.chains.flatMap(({ steps }) => steps));
  const isKept =
    old!.length === now!.length &&
    old!.every(({ label, block }, at) => {
      const other = now![at]!;
      if (label !== other.label) return false;
      return (
        block === null || (other.block !== null && canonical(block.value) === canonical(other.block.value))
      );
    });
  if (isKept) return;
  throw new KairosError(
    'INTERNAL',
    'the migration would have changed what a step demands; nothing was rewritten',
    {
      hint: 'Rewrite the proof line by hand, and please report it together with the document.',
    },
  );
}

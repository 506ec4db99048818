import { canonical } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import type { ParseResult, Problem, StepNode } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { applyEdits } from '../edits.ts';
import { fixText } from '../fix.ts';
import { lintSource } from '../lint-source.ts';
import type { Fix } from '../message.ts';
import { legacyChallengeKey } from '../rules/legacy-challenge-key.ts';
import { legacyFlatShell } from '../rules/legacy-flat-shell.ts';
import { legacyInterpreterFlags } from '../rules/legacy-interpreter-flags.ts';
import { legacyMissingType } from '../rules/legacy-missing-type.ts';
import { legacyProofLine } from '../rules/legacy-proof-line.ts';
import {
  type Decision,
  fromProblem,
  notACommand,
  placeholderDecisions,
  wordsAfterCommand,
} from './decision.ts';

export interface Migration {
  text: string;
  /** In the order of the text; places are those of the migrated text. */
  decisions: Decision[];
}

/** The rules about older spellings. */
export const LEGACY_RULES = [
  legacyProofLine,
  legacyChallengeKey,
  legacyMissingType,
  legacyFlatShell,
  legacyInterpreterFlags,
];

/**
 * Rewrites older proof lines and spellings of a document into current step blocks, with the fixes of the
 * rules that report them; what every step demands stays the same. What needs a human decision is left
 * unchanged and reported. Directives that suppress those rules are ignored, because the old spellings will be
 * removed.
 */
export async function migrateSource(source: string): Promise<Migration> {
  const before = await parseProtocol(source);
  const renames = before.messages.flatMap((problem) => renameEdit(source, problem) ?? []);
  const { text } = await fixText(applyEdits(source, renames).text, olderSpellings, { unsafe: false });
  const after = await parseProtocol(text);
  refuseChange(before, after);
  return { text, decisions: decisionsOf(before, after) };
}

async function olderSpellings(text: string) {
  const settings = { rules: LEGACY_RULES, inlineConfig: false };
  return (await lintSource(text, { settings })).messages;
}

/** A later generation of the format called the demand `contract`. */
function renameEdit(source: string, { code, args, place }: Problem): Fix | null {
  if (code !== 'block-unknown-key' || args.key !== 'contract' || args.path !== '') return null;
  const range: [number, number] = [place.start.offset, place.end.offset];
  const written = source.slice(...range);
  return { range, replacement: written.replace('contract', 'proof_of_work'), safe: true };
}

function decisionsOf(before: ParseResult, { document, messages }: ParseResult): Decision[] {
  const steps = stepsOf({ document });
  const decisions = messages.filter(({ severity }) => severity === 'error').map(fromProblem);
  for (const problem of messages.filter(({ code }) => code.startsWith('legacy-'))) {
    const block = steps.find((step) => isIn(problem, step))?.block;
    // Of two demands in a step neither is used, which is reported as an error.
    if (block == null) continue;
    const proof = block.value.proof_of_work;
    const isLine = problem.code === 'legacy-proof-line' && proof?.type === 'shell';
    decisions.push(isLine ? notACommand(problem.place, proof.shell.cmd) : fromProblem(problem));
  }
  const older = stepsOf(before);
  for (const problem of before.messages) {
    const { ignored } = problem.args;
    const at = ignored === undefined ? -1 : older.findIndex((step) => isIn(problem, step));
    const step = steps[at];
    if (older[at]?.block == null || step?.block == null || step.block.format === 'line') continue;
    decisions.push(wordsAfterCommand(step.labelPlace, String(ignored)));
  }
  decisions.push(...placeholderDecisions(document));
  return decisions.sort((a, b) => a.place.start.offset - b.place.start.offset);
}

function stepsOf({ document }: Pick<ParseResult, 'document'>): StepNode[] {
  return document.chains.flatMap(({ steps }) => steps);
}

function isIn({ place }: Problem, step: StepNode): boolean {
  return place.start.offset >= step.place.start.offset && place.start.offset < step.place.end.offset;
}

/** Readable demands and the order of steps must come through unchanged. */
function refuseChange(before: ParseResult, after: ParseResult): void {
  const [old, now] = [stepsOf(before), stepsOf(after)];
  const isKept =
    old.length === now.length &&
    old.every(({ label, block }, at) => {
      const other = now[at]!;
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

import { canonical } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import type { ParseResult, Place, Problem, ProtocolDocument, StepNode } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { describeProblem } from '../../protocol/problems.ts';
import { renderBlock, shorthandOf } from '../../protocol/render.ts';
import { parseScript } from '../../shell/commands.ts';
import { placeholders } from '../../shell/placeholder.ts';
import { applyEdits, fixText } from '../fix.ts';
import { lintSource } from '../lint-source.ts';
import type { Fix } from '../message.ts';
import { legacyChallengeKey } from '../rules/legacy-challenge-key.ts';
import { legacyFlatShell } from '../rules/legacy-flat-shell.ts';
import { legacyInterpreterFlags } from '../rules/legacy-interpreter-flags.ts';
import { legacyMissingType } from '../rules/legacy-missing-type.ts';
import { legacyProofLine } from '../rules/legacy-proof-line.ts';

interface SourceMigration {
  text: string;
  /** In the order of the text; places are those of the migrated text. */
  decisions: MigrationDecision[];
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
export async function migrateSource(source: string): Promise<SourceMigration> {
  const before = await parseProtocol(source);
  const renames = before.messages.flatMap((problem) => renameEdit(source, problem) ?? []);
  const { text } = await fixText(applyEdits(source, renames).text, olderSpellings, { unsafe: false });
  const respelled = await parseProtocol(text);
  const after = await parseProtocol(applyEdits(text, shorterForms(before, respelled)).text);
  refuseChange(before, after);
  return { text: after.document.source, decisions: decisionsOf(before, after) };
}

/** Shorthand for each block that had an older spelling, where it has room for everything. Other blocks keep the form that their author chose. */
function shorterForms(before: ParseResult, respelled: ParseResult): Fix[] {
  const legacy = before.messages.filter(({ code }) => code.startsWith('legacy-'));
  if (legacy.length === 0) return [];
  const older = stepsOf(before);
  const { source } = respelled.document;
  return stepsOf(respelled).flatMap(({ block }, at): Fix[] => {
    const step = older[at];
    if (block === null || step === undefined || !legacy.some((problem) => isIn(problem, step))) return [];
    const range: [number, number] = [block.place.start.offset, block.place.end.offset];
    // Comments and escapes have no place in shorthand.
    const isPlain = !/(?:^|\s)#|\\[uUx]/m.test(source.slice(...range));
    if (block.format === 'shorthand' || block.format === 'line' || !isPlain) return [];
    if (shorthandOf(block.value) === null) return [];
    return [{ range, replacement: renderBlock(block.value), safe: true }];
  });
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

function decisionsOf(before: ParseResult, { document, messages }: ParseResult): MigrationDecision[] {
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
    { hint: 'Rewrite the proof line by hand, and please report it together with the document.' },
  );
}

/** Something that a migration leaves to a human: what it is, and what they can do about it. */
export interface MigrationDecision {
  /** One of the parser's problems, or one of migration's own. */
  code: Problem['code'] | 'not-a-command' | 'words-after-command' | 'placeholder';
  place: Place;
  reason: string;
  hint: string;
}

/** An error of the parser, which no migration can fix automatically. */
function fromProblem(problem: Problem): MigrationDecision {
  const { reason, hint } = describeProblem(problem);
  return { code: problem.code, place: problem.place, reason, hint };
}

function notACommand(place: Place, command: string): MigrationDecision {
  return {
    code: 'not-a-command',
    place,
    reason: `The proof line reads like a sentence and not like a command: ${JSON.stringify(command)}. It was left unchanged.`,
    hint: 'Write a step block: a comment if a person describes it, or a shell command that fails if it is not so.',
  };
}

function wordsAfterCommand(place: Place, words: string): MigrationDecision {
  return {
    code: 'words-after-command',
    place,
    reason: `Text after the command was kept as text: ${JSON.stringify(words)}.`,
    hint: 'If it describes a condition, put it into the block: stdout_matches, expect_exit_code.',
  };
}

/** Commands in which something was never filled in. */
function placeholderDecisions({ chains }: ProtocolDocument): MigrationDecision[] {
  return chains
    .flatMap(({ steps }) => steps)
    .flatMap(({ block }): MigrationDecision[] => {
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'shell') return [];
      return placeholders(parseScript(proof.shell.cmd)).map(({ text }) => ({
        code: 'placeholder',
        place: block.place,
        reason: `The command has a gap to be filled in: ${text}.`,
        hint: 'Write what is meant, or declare an input for it and read that as "$NAME".',
      }));
    });
}

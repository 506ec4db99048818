import type { EntryData, EntryKind } from '../ledger/entry.ts';
import type { Assurance } from '../protocol/schema.ts';
import { decideSkip } from '../run/decide/attest.ts';
import type { AskFailure, Submission } from '../run/decide/draft.ts';
import { decideNext } from '../run/decide/solve.ts';
import type { RunFields } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution, parseInput } from './input.ts';
import { answerOf } from './run/answer.ts';
import { locateRun, resolveUri } from './run/locate.ts';
import { transact } from './run/transact.ts';
import { type NextInput, nextInput } from './schemas.ts';

/** How the interface obtained a solution: its assurance, and what it did. */
interface SolutionOrigin {
  assurance: Assurance;
  prelude?: NextCall['prelude'];
  failed?: NextCall['failed'];
}

/** `kairos_next`: checks the solution of the pending step and shows the next one. */
export async function next(
  ctx: OperationContext,
  raw: NextInput,
  obtained: SolutionOrigin = { assurance: 'claimed' },
): Promise<RunFields> {
  const input = parseInput(nextInput, raw);
  return nextStep(ctx, { uri: input.uri, runId: input.run_id, ...mergeSolution(input), ...obtained });
}

interface NextCall {
  uri: string;
  runId: string | undefined;
  /** Undefined: none was handed in. */
  solution: unknown;
  /** What the way the solution came is worth; `claimed` unless the face itself obtained it. */
  assurance: Assurance;
  /** What the face did to obtain it; written in the same append as the verdict. */
  prelude?: { kind: EntryKind; data: EntryData }[];
  /** What asking for it came to, where it came to nothing; the solution then only carries nonce and proof_hash. */
  failed?: AskFailure;
  /** Deprecation lines of the face, to be told with the answer. */
  notes?: string[];
}

/** `kairos_next`. */
async function nextStep(ctx: OperationContext, call: NextCall): Promise<RunFields> {
  const step = await resolveUri(ctx, call.uri);
  const located = await locateRun(ctx, 'kairos_next', call, step);
  if ('answer' in located) return located.answer;
  const submission = submissionOf(ctx, call);
  const decision = await transact(ctx, located.run, (draft) => {
    draft.notes.push(...(call.notes ?? []));
    return decideNext(draft, draft.state.chainId === step.chainId ? step.index : null, submission);
  });
  return answerOf(ctx, decision, 'kairos_next');
}

/** Passes the pending optional step without a proof. */
export async function skipStep(ctx: OperationContext, runId: string, reason: string): Promise<RunFields> {
  const decision = await transact(ctx, runId, (draft) => decideSkip(draft, ctx.redact(reason)));
  return answerOf(ctx, decision, 'kairos_next');
}

/** Writes down what a face did, where no verdict follows from it by itself. False: a sealed record takes nothing more. */
export async function record(
  ctx: OperationContext,
  runId: string,
  kind: EntryKind,
  data: EntryData,
): Promise<boolean> {
  const { entries } = await transact(ctx, runId, (draft) => {
    if (draft.state.sealed === null) draft.write(kind, data);
    return draft.done();
  });
  return entries.length > 0;
}

export function submissionOf(
  ctx: OperationContext,
  { solution, assurance, prelude, failed }: Pick<NextCall, 'solution' | 'assurance' | 'prelude' | 'failed'>,
): Submission | null {
  if (solution === undefined || solution === null) return null;
  return {
    raw: redactValue(solution, ctx.redact),
    assurance,
    ...(prelude === undefined ? {} : { prelude }),
    ...(failed === undefined ? {} : { failed }),
  };
}

/** What a solution may come wrapped in. */
const WRAPPERS = new Set(['solution', 'proof_of_work', 'proof_of_work_result']);

/**
 * Redacts every string inside a solution, keys included. The nonce and the hash to echo are no secrets of the host, in
 * the place where a solution has them; anything else of these names is a word like others.
 */
export function redactValue(value: unknown, redact: (text: string) => string, isSolution = true): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact, false));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      isSolution && typeof item === 'string' && (key === 'nonce' || key === 'proof_hash')
        ? item
        : redactValue(item, redact, isSolution && WRAPPERS.has(key)),
    ]),
  );
}

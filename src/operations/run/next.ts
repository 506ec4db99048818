import type { EntryData, EntryKind } from '../../ledger/entry.ts';
import type { Assurance } from '../../protocol/schema.ts';
import { decideSkip } from '../../run/decide/attest.ts';
import type { Failure, Submission } from '../../run/decide/draft.ts';
import { decideNext } from '../../run/decide/solve.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { OperationContext } from '../context.ts';
import { answerOf } from './answer.ts';
import { locateRun, resolveUri } from './locate.ts';
import { redactValue } from './redact.ts';
import { transact } from './transact.ts';

export interface NextCall {
  uri: string;
  runId: string | undefined;
  /** Undefined: none was handed in. */
  solution: unknown;
  /** What the way the solution came is worth; `claimed` unless the face itself obtained it. */
  assurance: Assurance;
  /** What the face did to obtain it; written in the same append as the verdict. */
  prelude?: { kind: EntryKind; data: EntryData }[];
  /** What asking for it came to, where it came to nothing; the solution then only carries nonce and proof_hash. */
  failed?: Failure;
  /** Deprecation lines of the face, to be told with the answer. */
  notes?: string[];
}

/** `kairos_next`. */
export async function nextStep(ctx: OperationContext, call: NextCall): Promise<WalkFields> {
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
export async function skipStep(ctx: OperationContext, runId: string, reason: string): Promise<WalkFields> {
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

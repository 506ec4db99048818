import * as z from 'zod/mini';
import { claimsOnly } from '../proof/demand.ts';
import { stepUri } from '../protocol/identity.ts';
import type { Assurance } from '../protocol/schema.ts';
import { decideAttest } from '../run/decide/attest.ts';
import { stepsNotRolledBack } from '../run/decide/rollback.ts';
import { countAssurance, pendingStation, type RunState } from '../run/state.ts';
import { type RunFields, runFieldsShape } from '../run/walk-fields.ts';
import { MESSAGES } from '../run/wording.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution, parseInput } from './input.ts';
import { submissionOf } from './next.ts';
import { answerOf } from './run/answer.ts';
import { locateRun, NO_STEP, resolveUri, resolveUriOfCall } from './run/locate.ts';
import { loadRun, transact } from './run/transact.ts';

const assuranceCounts = z.object({ observed: z.int(), attested: z.int(), client: z.int(), claimed: z.int() });

export const attestInput = z.strictObject({
  uri: z.string(),
  outcome: z.enum(['success', 'failure']),
  message: z.string(),
  solution: z.optional(z.unknown()),
  /** Deprecated alias of `solution`. */
  proof_of_work: z.optional(z.unknown()),
  run_id: z.optional(z.string()),
  quality_bonus: z._default(z.number(), 0),
  llm_model_id: z.optional(z.string()),
});
export const attestOutput = z.object({
  ...runFieldsShape,
  results: z.optional(
    z.array(
      z.object({
        uri: z.string(),
        outcome: z.enum(['success', 'failure']),
        quality_bonus: z.number(),
        message: z.string(),
        rated_at: z.string(),
      }),
    ),
  ),
  total_rated: z.optional(z.int()),
  total_failed: z.optional(z.int()),
  ledger_head: z.optional(z.string()),
  assurance: z.optional(assuranceCounts),
});
export type AttestInput = z.input<typeof attestInput>;
export type AttestOutput = z.infer<typeof attestOutput>;

/** `kairos_attest`: closes a run with an outcome and seals its ledger. */
export async function attest(
  ctx: OperationContext,
  raw: AttestInput,
  obtained: { assurance: Assurance } = { assurance: 'claimed' },
): Promise<AttestOutput> {
  const input = parseInput(attestInput, raw);
  return attestRun(ctx, {
    uri: input.uri,
    runId: input.run_id,
    outcome: input.outcome,
    message: input.message,
    ...mergeSolution(input),
    ...obtained,
    qualityBonus: input.quality_bonus,
    llmModelId: input.llm_model_id ?? null,
  });
}

interface AttestCall {
  uri: string;
  runId: string | undefined;
  outcome: 'success' | 'failure';
  message: string;
  solution: unknown;
  assurance: Assurance;
  qualityBonus: number;
  llmModelId: string | null;
  notes?: string[];
}

/** What attest adds to the walk fields once a run is sealed. */
interface Attested {
  results: {
    uri: string;
    outcome: 'success' | 'failure';
    quality_bonus: number;
    message: string;
    rated_at: string;
  }[];
  total_rated: number;
  total_failed: number;
  ledger_head: string;
  assurance: Record<Assurance, number>;
}

/** `kairos_attest`. Sealing is durable before the outcome is counted in the chain's quality. */
async function attestRun(ctx: OperationContext, call: AttestCall): Promise<RunFields & Partial<Attested>> {
  const step = await resolveUriOfCall(ctx, call);
  const located = await locateRun(ctx, 'kairos_attest', call, step);
  if ('answer' in located) return located.answer;
  const decision = await transact(ctx, located.run, (draft) => {
    draft.notes.push(...(call.notes ?? []));
    const isOther = draft.state.chainId !== step.chainId || step.index === NO_STEP;
    if (isOther && draft.state.sealed === null) {
      // A run is never sealed by way of another protocol's address.
      if (pendingStation(draft.state) !== null) draft.showPending();
      return draft.done({ code: 'OUT_OF_ORDER', message: MESSAGES.otherChain });
    }
    return decideAttest(draft, {
      uri: call.uri,
      outcome: call.outcome,
      message: ctx.redact(call.message),
      qualityBonus: call.qualityBonus,
      llmModelId: call.llmModelId,
      submission: submissionOf(ctx, call),
      assurance: call.assurance,
    });
  });
  const { state } = decision;
  if (state.sealed === null) return answerOf(ctx, decision, 'kairos_attest');
  if (decision.problem === null) {
    await ctx.store.rate(state.chainId, state.digest, state.sealed.outcome, state.sealed.qualityBonus);
    decision.notes.unshift(MESSAGES.sealed(state.sealed.outcome));
    decision.notes.push(...stepsNotRolledBack(state).map(MESSAGES.notRolledBack));
    if (claimsOnly(countAssurance(state))) decision.notes.push(MESSAGES.selfReported);
    const revision = await ctx.store.revisionByDigest(state.chainId, state.digest);
    if (revision?.weakened != null) decision.notes.push(MESSAGES.weakened(revision.number));
  }
  return {
    ...(await answerOf(ctx, decision, 'kairos_attest')),
    ...resultOf(state, decision.problem === null),
  };
}

function resultOf(state: RunState, rated: boolean): Attested {
  const sealed = state.sealed!;
  return {
    results: [
      {
        uri: sealed.uri,
        outcome: sealed.outcome,
        quality_bonus: sealed.qualityBonus,
        message: sealed.message,
        rated_at: sealed.at,
      },
    ],
    total_rated: rated ? 1 : 0,
    total_failed: 0,
    ledger_head: sealed.head,
    assurance: countAssurance(state),
  };
}

/**
 * The run of an attest call whose last step waits for a user's answer, as input of `kairos_next`; null when something
 * else is pending, so that a placeholder never counts as an attempt at another step.
 */
export async function pendingUserInput(
  ctx: OperationContext,
  { uri, run_id: runId, solution }: Pick<AttestInput, 'uri' | 'run_id' | 'solution'>,
): Promise<{ uri: string; run_id: string } | null> {
  const step = await resolveUri(ctx, uri);
  const located = await locateRun(ctx, 'kairos_attest', { uri, runId, solution }, step);
  if ('answer' in located) return null;
  const run = await loadRun(ctx, located.run);
  if (run === null || run.state.sealed !== null || run.state.chainId !== step.chainId) return null;
  const pending = pendingStation(run.state);
  if (pending?.kind !== 'proof' || pending.demand.type !== 'user_input') return null;
  if (pending.step !== run.state.content.steps.length) return null;
  return { uri: stepUri(run.state.chainId, pending.step), run_id: located.run.runId };
}

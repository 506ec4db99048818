import type { EntryData } from '../../ledger/entry.ts';
import { meets } from '../../proof/assurance.ts';
import { checkOutputs } from '../../proof/outputs.ts';
import { type Verdict, validateSolution } from '../../proof/validate.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import { capturesOf, takeCaptures } from '../inputs.ts';
import type { Station } from '../stations.ts';
import { MESSAGES } from '../wording.ts';
import type { Attempt } from './attempt.ts';
import type { Draft } from './draft.ts';
import { demandOf } from './guard.ts';

/** A verdict, with what was read for it (`beyond`: not of the solution itself); or the files to read before there can be one. */
export type Judgement =
  | (Verdict & { outputs?: EntryData[]; captured?: Record<string, string>; beyond?: true })
  | { reads: readonly OutputCheck[] };

/** SPEC 3.4 from the type on: type, payload, assurance, and only what has passed all of these looks at files. */
export function judge(
  draft: Draft,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): Judgement {
  const verdict = judgeSolution(draft, pending, attempt);
  const { outputs } = pending.block;
  if (!verdict.ok) return verdict;
  if (outputs === undefined) return withCaptures(draft, pending, verdict);
  const { env, state } = draft;
  if (env.outputs?.station !== state.at) return { reads: outputs };
  const held = checkOutputs(outputs, env.outputs.readings, env.tools);
  if (!held.ok) return { ...held, beyond: true };
  const captured = withCaptures(draft, pending, verdict);
  return captured.ok ? { ...captured, outputs: held.observed } : captured;
}

/** What the step takes from its proof for later steps; a capture that finds nothing fails the step. */
function withCaptures(
  { env }: Draft,
  pending: Exclude<Station, { kind: 'none' }>,
  verdict: Extract<Verdict, { ok: true }>,
): (Verdict & { ok: true; captured?: Record<string, string> }) | (Verdict & { ok: false }) {
  const captures = pending.kind === 'proof' ? capturesOf(pending.block) : [];
  if (captures.length === 0) return verdict;
  const taken = takeCaptures(captures, pending.demand.type, verdict.proof, env.tools.patterns);
  return taken.ok
    ? { ...verdict, captured: taken.values }
    : { ok: false, code: 'CAPTURE_FAILED', message: MESSAGES.captureFailed(taken.name) };
}

/** All that does not look at files. */
export function judgeSolution(
  { state, env }: Draft,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): Verdict {
  const step = state.content.steps[pending.step - 1];
  const verdict = validateSolution(
    demandOf(state, pending),
    attempt.solution,
    { stepText: `${step?.label ?? ''}\n${step?.body ?? ''}`, previousComment: state.previousComment },
    env.tools,
  );
  if (!verdict.ok) return verdict;
  const { assurance } = attempt.submission;
  const declinedAt = state.declined.get(state.at);
  if (declinedAt !== undefined && !meets(assurance, declinedAt)) {
    return { ok: false, code: 'USER_DECLINED', message: MESSAGES.declineStands };
  }
  const need = pending.demand.assurance;
  if (need !== undefined && !meets(assurance, need)) {
    return { ok: false, code: 'ASSURANCE_TOO_LOW', message: MESSAGES.assuranceTooLow(need, assurance) };
  }
  return verdict;
}

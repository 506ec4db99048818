import { sha256Hex } from '../../base/canonical.ts';
import { packetOf, type Receipt, receiptOf } from '../../gate/receipt.ts';
import { type EntryData, foreignJson } from '../../ledger/entry.ts';
import { meets } from '../../proof/demand.ts';
import { checkOutputs } from '../../proof/outputs.ts';
import { readSolution, type Solution } from '../../proof/solution.ts';
import { type Verdict, validateSolution } from '../../proof/validate.ts';
import type { Assurance, OutputCheck } from '../../protocol/schema.ts';
import { capturesOf, takeCaptures } from '../inputs.ts';
import type { ShownNonce } from '../nonces.ts';
import type { RunState, Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import type { DecisionBuilder, RunProblem, Submission } from './draft.ts';
import { demandOf, openProposal, templateOf } from './guard.ts';

/** A verdict, with what was read for it (`beyond`: not of the solution itself); or the files to read before there can be one. */
export type Judgement =
  | (Verdict & { outputs?: EntryData[]; captured?: Record<string, string>; outsideSolution?: true })
  | { reads: readonly OutputCheck[] };

/** SPEC 3.4 from the type on: type, payload, assurance, and only what has passed all of these looks at files. */
export function judge(
  draft: DecisionBuilder,
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
  if (!held.ok) return { ...held, outsideSolution: true };
  const captured = withCaptures(draft, pending, verdict);
  return captured.ok ? { ...captured, outputs: held.observed } : captured;
}

/** Reads the step's captures from its proof. A capture without a value fails the step. */
function withCaptures(
  { env }: DecisionBuilder,
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
  { state, env }: DecisionBuilder,
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

/** A submission that was read: its solution, what spends a nonce, and what came with it. */
export interface Attempt {
  solution: Solution;
  sha256: string;
  nonce: ShownNonce | null;
  submission: Submission;
}

/** Reads a submission and finds the nonce that it names among those shown. */
export function readAttempt(draft: DecisionBuilder, submission: Submission): Attempt {
  const { solution, converted, problems } = readSolution(submission.raw);
  draft.notes.push(...converted, ...problems.map(({ message }) => message));
  const sha256 = typeof solution.nonce === 'string' ? sha256Hex(solution.nonce) : null;
  const nonce = draft.state.nonces.get(sha256);
  return { solution, sha256: solutionDigest(submission.raw), nonce, submission };
}

/** The first two checks of SPEC 3.4: nonce, then proof_hash. */
export function checkBinding(state: RunState, { nonce, solution }: Attempt, now: number): RunProblem | null {
  if (nonce === null || !belongsToPending(state, nonce, now)) {
    return { code: 'NONCE_MISMATCH', message: nonceMessage(state, nonce, solution, now) };
  }
  if (solution.proof_hash !== nonce.echo) {
    return { code: 'PROOF_HASH_MISMATCH', message: MESSAGES.proofHash };
  }
  return null;
}

/**
 * Unspent, unexpired, shown for the pending station and among the newest that stay valid. Nonces shown under
 * a permit are counted separately, and those that a command was started with stay: asking for the state of a
 * run, however often, doesn't affect a running attempt.
 */
export function belongsToPending(state: RunState, nonce: ShownNonce | null, now: number): boolean {
  if (nonce === null || nonce.station !== state.at || nonce.expiresAt <= now) return false;
  const { nonces } = state;
  if (nonces.spentBy(nonce) !== null || nonces.isVoid(nonce)) return false;
  if (nonces.isHeld(nonce)) return true;
  return nonces
    .valid(state.at, ({ expiresAt, permit }) => expiresAt > now && permit === nonce.permit)
    .includes(nonce);
}

/** Total: an agent's text may contain lone surrogates, which canonical JSON lacks. */
export function solutionDigest(value: unknown): string {
  return sha256Hex(foreignJson(value ?? null));
}

function nonceMessage(
  { nonces }: RunState,
  nonce: ShownNonce | null,
  solution: Solution,
  now: number,
): string {
  if (typeof solution.nonce !== 'string') return MESSAGES.nonceMissing;
  if (nonce === null) return MESSAGES.nonceUnknown;
  if (nonces.spentBy(nonce) !== null) return MESSAGES.nonceSpent;
  return nonce.expiresAt <= now ? MESSAGES.nonceExpired : MESSAGES.nonceUnknown;
}

/** What an accepted proof of a gated step shows about the allowed effects; nothing for other steps. */
export function receiptFor(
  state: RunState,
  station: Exclude<Station, { kind: 'none' }>,
  proof: EntryData,
  assurance: Assurance,
): { receipt?: Receipt } {
  const { open } = state.gate;
  if (open === null || templateOf(station) === undefined) return {};
  const packet = packetOf(station.demand.type, proof);
  return { receipt: receiptOf(open, openProposal(state)?.risk_envelope, packet, assurance) };
}

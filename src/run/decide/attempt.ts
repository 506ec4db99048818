import { sha256Hex } from '../../base/canonical.ts';
import { foreignJson } from '../../ledger/entry.ts';
import { readSolution, type Solution } from '../../proof/solution.ts';
import type { ShownNonce } from '../nonces.ts';
import type { RunState } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import type { Draft, Submission, WalkProblem } from './draft.ts';

/** A submission that was read: its solution, what spends a nonce, and what came with it. */
export interface Attempt {
  solution: Solution;
  sha256: string;
  nonce: ShownNonce | null;
  submission: Submission;
}

/** Reads a submission and finds the nonce that it names among those shown. */
export function readAttempt(draft: Draft, submission: Submission): Attempt {
  const { solution, converted, problems } = readSolution(submission.raw);
  draft.notes.push(...converted, ...problems.map(({ message }) => message));
  const sha256 = typeof solution.nonce === 'string' ? sha256Hex(solution.nonce) : null;
  const nonce = draft.state.nonces.get(sha256);
  return { solution, sha256: solutionDigest(submission.raw), nonce, submission };
}

/** The first two checks of SPEC 3.4: nonce, then proof_hash. */
export function checkBinding(state: RunState, { nonce, solution }: Attempt, now: number): WalkProblem | null {
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
  if (nonces.spentBy(nonce) !== null) return false;
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

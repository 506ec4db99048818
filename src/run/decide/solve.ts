import { plainCommand } from '../../base/command-line.ts';
import type { Receipt } from '../../gate/receipt.ts';
import { isPlaceholder, readSolution } from '../../proof/solution.ts';
import { pendingStation, type RunState, type Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { consumePermit, refuseUnproposed } from './consume-permit.ts';
import type { Decision, DecisionBuilder, RunProblem, Submission } from './draft.ts';
import { type GatedStation, isUnderPermit, rejectCommand, templateOf } from './guard.ts';
import {
  type Attempt,
  belongsToPending,
  checkBinding,
  type Judgement,
  judge,
  judgeSolution,
  readAttempt,
  receiptFor,
  solutionDigest,
} from './judge.ts';
import { recordAcceptance, recordRejection } from './record-proof.ts';
import { reportedAttempt } from './reported-call.ts';
import { rollbackCandidateAt } from './rollback.ts';

/**
 * `kairos_next`: the result for an agent that may name the pending step or the one after it (SPEC 3.2 to
 * 3.5). `steps` are the 1-based steps that the called URI can mean in this chain (none: not a step of it).
 */
export function decideNext(
  draft: DecisionBuilder,
  step: number | null,
  submission: Submission | null,
): Decision {
  const { state } = draft;
  const refused = draft.refuseClosedOrRunning();
  if (refused !== null) return refused;

  const given = submission === null ? null : readAttempt(draft, submission);
  if (given !== null) {
    if (isRepeated(draft, given)) return shownAnew(draft);
    // Record what kairos did, also if the solution is rejected.
    for (const { kind, data } of given.submission.prelude ?? []) draft.write(kind, data);
    const stale = staleAttempt(draft, given);
    if (stale !== null) return stale;
  }
  const pending = pendingStation(state);
  if (pending === null) return draft.done();
  const attempt = given !== null && asksInVain(given, pending) ? null : given;
  // A call without a solution asks where the run is.
  if (attempt === null) draft.tellStep();
  // A person has moved it on.
  if (attempt === null && !state.shown) return shown(draft);
  if (!isAllowed(state, pending, step)) return shown(draft, problem('OUT_OF_ORDER', MESSAGES.outOfOrder));
  if (pending.kind === 'none') {
    draft.show(state.at + 1);
    return draft.done();
  }
  const seen = reportedAttempt(draft, pending, attempt);
  if (seen !== null) return decideSolution(draft, pending, seen);
  if (templateOf(pending) !== undefined) {
    if (attempt === null) return consumePermit(draft, pending as GatedStation);
    const refused = withoutPermit(draft, pending as GatedStation, attempt);
    if (refused !== null) return refused;
  }
  if (attempt === null) {
    return shown(draft, pending.kind === 'closing' ? null : problem('MISSING_PROOF', MESSAGES.missingProof));
  }
  if (asksUs(attempt, pending)) {
    // The holder of the permit asks under it.
    const { open } = state.gate;
    if (open === null || !isUnderPermit(state, attempt.nonce)) return shown(draft);
    draft.show(state.at, open.permitId);
    return draft.done();
  }
  return decideSolution(draft, pending, attempt);
}

/** The interface asks the user (SPEC 6). */
function asksUs({ solution, submission }: Attempt, pending: Station): boolean {
  if (pending.kind === 'none' || submission.failed !== undefined) return false;
  return pending.demand.type === 'user_input' && isPlaceholder(solution);
}

/** Asks for the user at a step that doesn't: a person may have answered in the meantime. The same as no solution. */
function asksInVain({ solution, submission }: Attempt, pending: Station): boolean {
  if (submission.failed !== undefined || !isPlaceholder(solution)) return false;
  return pending.kind === 'none' || pending.demand.type !== 'user_input';
}

/** A solution that attest was given: for the closing comment, or for the last step if that is still pending. */
export function decideAttestSolution(draft: DecisionBuilder, submission: Submission): Decision | null {
  const pending = pendingStation(draft.state);
  if (pending === null || pending.kind === 'none') return null;
  const attempt = readAttempt(draft, submission);
  // The same call again, after its message was found wanting: the solution has done its part.
  if (attempt.nonce !== null && draft.state.nonces.spentBy(attempt.nonce) === attempt.sha256) return null;
  if (attempt.nonce !== null && draft.state.nonces.isVoid(attempt.nonce)) return rebasedSince(draft);
  if (pending.kind === 'proof') {
    const isLast = pending.step === draft.state.content.steps.length;
    if (!isLast || !belongsToPending(draft.state, attempt.nonce, draft.env.now)) return null;
    const refused =
      templateOf(pending) === undefined ? null : withoutPermit(draft, pending as GatedStation, attempt);
    if (refused !== null) return refused;
  }
  return decideSolution(draft, pending, attempt);
}

/**
 * A solution of a gated step is accepted only with a nonce that was shown under its permit. Nothing is
 * counted or spent.
 */
function withoutPermit(draft: DecisionBuilder, station: GatedStation, { nonce }: Attempt): Decision | null {
  if (isUnderPermit(draft.state, nonce)) return null;
  return draft.state.gate.open === null
    ? refuseUnproposed(draft, station)
    : rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.permitOther);
}

/** The closing message of attest: only the comment rules, no nonce. */
export function decideClosingMessage(
  draft: DecisionBuilder,
  message: string,
  submission: Submission,
): RunProblem | null {
  const pending = pendingStation(draft.state);
  if (pending === null || pending.kind !== 'closing') return null;
  const solution = readSolution({ type: 'comment', comment: { text: message } }).solution;
  const attempt: Attempt = { solution, sha256: solutionDigest({ message }), nonce: null, submission };
  const verdict = judgeSolution(draft, pending, attempt);
  if (verdict.ok) {
    recordAcceptance(draft, pending, attempt, { ...verdict, receipt: {} });
    return null;
  }
  recordRejection(draft, pending, attempt, verdict, true);
  return { ...verdict, message: verdict.message.replace('solution.comment.text', 'message') };
}

/** The same call again after a lost response. It isn't counted. */
function isRepeated({ state }: DecisionBuilder, { nonce, sha256 }: Attempt): boolean {
  return nonce !== null && state.nonces.spentBy(nonce) === sha256;
}

/**
 * A second writer's solution for a step that another has proven meanwhile, with their own nonce or the same one (CONFLICT,
 * SPEC 3.7). It isn't counted.
 */
function staleAttempt(draft: DecisionBuilder, { nonce, solution }: Attempt): Decision | null {
  if (nonce === null) return null;
  const spentBy = draft.state.nonces.spentBy(nonce);
  if (spentBy === null && draft.state.nonces.isVoid(nonce)) return rebasedSince(draft);
  if (nonce.station >= draft.state.at) return null;
  if (spentBy === null) return shownAnew(draft, problem('CONFLICT', MESSAGES.conflict));
  // Spent, with the proof_hash of that time: a late answer to the old challenge, not an attempt at this one.
  return solution.proof_hash === nonce.echo
    ? shownAnew(draft, problem('CONFLICT', MESSAGES.conflictSpent))
    : null;
}

/** SPEC 3.4: nonce, proof_hash, type, payload, assurance, outputs; the first failure is answered. */
function decideSolution(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): Decision {
  const isReport = attempt.submission.via !== undefined && attempt.solution.nonce === null;
  const bad = isReport ? null : checkBinding(draft.state, attempt, draft.env.now);
  const refused = bad ?? attempt.submission.failed ?? null;
  const judged: Judgement = refused === null ? judge(draft, pending, attempt) : { ok: false, ...refused };
  if ('reads' in judged) return draft.ask(judged.reads);
  const receipt = judged.ok
    ? receiptFor(draft.state, pending, judged.proof, attempt.submission.assurance)
    : {};
  const verdict = exceeded(receipt) ?? judged;
  if (verdict.ok) {
    const proofHash = recordAcceptance(draft, pending, attempt, { ...verdict, receipt });
    if (attempt.submission.aside !== true) draft.showPending();
    return draft.done(null, proofHash);
  }
  const before = draft.state.at;
  // The interface asked the model before the agent saw the step.
  if (pending.demand.type === 'sampling' && attempt.submission.assurance !== 'claimed') draft.tellStep();
  recordRejection(
    draft,
    pending,
    attempt,
    verdict,
    refused === null && verdict.outsideSolution !== true,
    receipt,
  );
  if (draft.state.at === before || attempt.submission.aside !== true) draft.showPending();
  if (draft.state.at === before) return draft.done(verdict);
  draft.notes.push(MESSAGES.waived(verdict.code));
  if (typeof rollbackCandidateAt(draft.state, pending.step) !== 'string')
    draft.notes.push(MESSAGES.canRollBack(rollbackCommand(draft, pending.step), pending.step));
  return draft.done();
}

/** More than the permit allowed was affected: what was done is on record, and the step has failed. */
function exceeded({
  receipt,
}: {
  receipt?: Receipt;
}): (RunProblem & { ok: false; outsideSolution: true }) | null {
  if (receipt?.effects !== 'exceeded') return null;
  const { max_affected_records: most, affected_records: observed } = receipt;
  const message = MESSAGES.effectExceeded(most ?? 0, observed ?? 0);
  return { ok: false, outsideSolution: true, code: 'EFFECT_EXCEEDED', message };
}

/** The command that rolls the step back. */
function rollbackCommand(
  { state, env: { commandLine = plainCommand } }: DecisionBuilder,
  step: number,
): string {
  return commandLine(['rollback', state.runId, String(step)]);
}

/** Either convention: the URI of the pending step, or of the one after it. */
export function isAllowed(state: RunState, pending: Station, step: number | null): boolean {
  if (step === null) return false;
  return step === pending.step || step === Math.min(pending.step + 1, state.content.steps.length);
}

/** The same for a caller that has not seen the pending step yet. */
function shownAnew(draft: DecisionBuilder, reason: RunProblem | null = null): Decision {
  draft.tellStep();
  return shown(draft, reason);
}

/** An answer to the text of an earlier revision: the caller has not seen the text of this one. */
function rebasedSince(draft: DecisionBuilder): Decision {
  return shownAnew(draft, problem('CONFLICT', MESSAGES.conflictRebased));
}

/** What is pending is shown again with a fresh nonce; nothing is counted. */
function shown(draft: DecisionBuilder, reason: RunProblem | null = null): Decision {
  if (draft.state.at < draft.state.stations.length) draft.showPending();
  return draft.done(reason);
}

function problem(code: RunProblem['code'], message: string): RunProblem {
  return { code, message };
}

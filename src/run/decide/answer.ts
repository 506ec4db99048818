import { countApprovals, type Uncounted, uncountedReason } from '../../gate/approval/count.ts';
import type { Approval, ApprovalStatement } from '../../gate/approval/statement.ts';
import { type GateAnswer, readCase } from '../../gate/decide.ts';
import type { Case, GateInput } from '../../gate/input.ts';
import type { Violation } from '../../gate/violation.ts';
import type { ApprovalGivenData } from '../entry-data.ts';
import { type DecidedProposal, proposalKey } from '../gate-state.ts';
import { pendingStation, type RunState } from '../state.ts';
import type { Decision, DecisionBuilder, GateEnv } from './draft.ts';
import { type GatedStation, gateInput, judgeProposal } from './guard.ts';
import { judgeRollback, rollbackInput } from './rollback.ts';

/** Why an answer to a proposal is rejected: it could have no effect. */
export type Unanswerable =
  | 'sealed'
  | 'used'
  | 'over'
  | 'denied'
  | 'denied-now'
  | 'replaced'
  | 'not-asked'
  | 'denied-before'
  | 'approved-before'
  | 'uncounted';

export interface RefusedAnswer {
  why: Unanswerable;
  /** Why the gate would not count it; only with `uncounted`. */
  uncounted?: Uncounted;
  /** What the gate has against the proposal now; only with `denied-now`. */
  reasons: Violation[];
}

/**
 * Whether a proposal can still be approved or denied. An approval is for the newest proposal of the pending
 * step, or for a waiting rollback, as long as the gate would not deny it anyway. A denial is final, so it is
 * accepted as long as the proposal could return: also for a denied or replaced one.
 */
export function refusedAnswer(
  state: RunState,
  proposal: DecidedProposal,
  decision: ApprovalStatement['decision'],
  gate: GateEnv,
  now: number,
): RefusedAnswer | null {
  const refuse = (why: Unanswerable, reasons: Violation[] = []): RefusedAnswer => ({ why, reasons });
  if (state.sealed !== null) return refuse('sealed');
  if (proposal.used) return refuse('used');
  const judged = judgeAgain(state, proposal, gate, now);
  if (judged === null) return refuse('over');
  const isDenied = proposal.decision !== 'ALLOW' && proposal.decision !== 'HOLD';
  // A denied rollback can't be submitted again: the next one is a new proposal.
  if (isDenied && (decision === 'approve' || proposal.rollback)) return refuse('denied');
  if (decision === 'deny') return null;
  if (!proposal.rollback && proposalKey(proposal) !== state.gate.current) return refuse('replaced');
  if (judged.reasons.length > 0) return refuse('denied-now', judged.reasons);
  return judged.approvals.needed === 0 ? refuse('not-asked') : null;
}

/** Puts an answer to the proposal of this key on record, if it can have an effect: nothing is written otherwise. */
export function decideAnswer(
  draft: DecisionBuilder,
  key: string,
  data: ApprovalGivenData,
  statement: ApprovalStatement,
): Decision & { refused: RefusedAnswer | null } {
  const { state, env } = draft;
  const proposal = state.gate.proposals.get(key);
  if (env.gate === undefined || proposal === undefined)
    throw new Error('an answer is decided without its proposal');
  const approval: Approval = {
    statement,
    source: data.source,
    key: data.key,
    by: data.by,
    givenAt: env.now,
  };
  const refused =
    refusedAnswer(state, proposal, data.decision, env.gate, env.now) ??
    refusedVoice(state, proposal, approval, env.gate, env.now);
  if (refused === null) draft.write('approval.given', data);
  return { ...draft.done(), refused };
}

/** Whether the gate would hear this answer, were it the only one. */
function refusedVoice(
  state: RunState,
  proposal: DecidedProposal,
  approval: Approval,
  gate: GateEnv,
  now: number,
): RefusedAnswer | null {
  const input = gateInputFor(state, proposal, gate, now);
  if (input === null) return { why: 'over', reasons: [] };
  const item = readCase(input);
  const uncounted = uncountedReason(item, approval, proposal.hash);
  if (uncounted !== null) return { why: 'uncounted', uncounted, reasons: [] };
  const { decision, approver } = approval.statement;
  const count = countApprovals(item, proposal.hash);
  if (decision === 'deny')
    return count.deniedBy.includes(approver) ? { why: 'denied-before', reasons: [] } : null;
  return count.by.includes(approver) && !isRenewal(item, approval)
    ? { why: 'approved-before', reasons: [] }
    : null;
}

/** The approval on record by the same person ends before this one would: renewing it has an effect. */
function isRenewal({ approvals }: Case, { statement }: Approval): boolean {
  return approvals.every(
    (other) =>
      other.statement.approver !== statement.approver ||
      other.statement.proposal_hash !== statement.proposal_hash ||
      other.statement.expires_at_ms < statement.expires_at_ms,
  );
}

/** What the gate is asked about a recorded proposal, as if its proposer submitted it again; null when there is nothing to ask. */
export function gateInputFor(
  state: RunState,
  proposal: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateInput | null {
  const asProposer = { ...gate, actor: proposal.actor };
  if (proposal.rollback) return rollbackInput(state, proposal, asProposer, now);
  const station = state.stations[proposal.station];
  if (station?.kind !== 'proof') return null;
  return gateInput(state, { now }, station, proposal.text, asProposer);
}

/** The gate's decision if the same submitter submitted it again now; null when the run is past it. */
export function judgeAgain(
  state: RunState,
  proposal: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateAnswer | null {
  const asProposer = { ...gate, actor: proposal.actor };
  if (proposal.rollback) return judgeRollback(state, proposal, asProposer, now);
  if (proposal.station !== state.at) return null;
  const station = pendingStation(state) as GatedStation;
  return judgeProposal({ state, env: { now } }, station, proposal.text, asProposer);
}

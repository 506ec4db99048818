import type { Approval, ApprovalStatement } from '../../gate/approval/statement.ts';
import type { GateAnswer } from '../../gate/decide.ts';
import type { Violation } from '../../gate/violation.ts';
import type { ApprovalGivenData } from '../entry-data.ts';
import { type DecidedProposal, proposalKey } from '../gate-state.ts';
import { pendingStation, type RunState } from '../state.ts';
import type { Decision, Draft, GateEnv } from './draft.ts';
import { type GuardedStation, judgeProposal } from './guard.ts';
import { judgeRollback } from './rollback.ts';

/** Why an answer to a proposal is not taken: it could have no effect. */
export type Unanswerable =
  | 'sealed'
  | 'used'
  | 'over'
  | 'denied'
  | 'denied-now'
  | 'replaced'
  | 'not-asked'
  | 'said-before'
  | 'uncounted';

export interface RefusedAnswer {
  why: Unanswerable;
  /** What the gate has against the proposal now; only with `denied-now`. */
  reasons: Violation[];
}

/**
 * Whether a proposal can still be answered so. A yes is for the newest proposal of the pending step, or for a rollback that
 * waits, as long as the gate would not deny it anyway. A no is final, so that it is taken as long as the proposal could come
 * back: of one that was denied or replaced as well.
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
  // Nobody can submit a rollback that was denied: the next one is made anew.
  if (isDenied && (decision === 'approve' || proposal.rollback)) return refuse('denied');
  if (decision === 'deny') return null;
  if (!proposal.rollback && proposalKey(proposal) !== state.gate.current) return refuse('replaced');
  if (judged.reasons.length > 0) return refuse('denied-now', judged.reasons);
  return judged.approvals.needed === 0 ? refuse('not-asked') : null;
}

/** Puts an answer to the proposal of this key on record, if it can have an effect: nothing is written otherwise. */
export function decideAnswer(
  draft: Draft,
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
  const { decision, approver, proposal_hash } = approval.statement;
  const alone = judgeAgain(state, proposal, { ...gate, approvals: [approval] }, now);
  const isHeard =
    decision === 'approve'
      ? alone?.approvals.given === 1
      : alone?.reasons.some(({ code }) => code === 'K-PROP-140') === true;
  if (!isHeard) return { why: 'uncounted', reasons: [] };
  const before = gate.approvals.some(
    ({ statement }) =>
      statement.decision === 'deny' &&
      statement.approver === approver &&
      statement.proposal_hash === proposal_hash,
  );
  return decision === 'deny' && before ? { why: 'said-before', reasons: [] } : null;
}

/** What the gate would say now, were it submitted again by whoever submitted it; null when the run is past it. */
export function judgeAgain(
  state: RunState,
  proposal: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateAnswer | null {
  const asProposer = { ...gate, actor: proposal.actor };
  if (proposal.rollback) return judgeRollback(state, proposal, asProposer, now);
  if (proposal.station !== state.at) return null;
  const station = pendingStation(state) as GuardedStation;
  return judgeProposal({ state, env: { now } }, station, proposal.text, asProposer);
}

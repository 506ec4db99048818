import { countApprovals, type Uncounted, uncountedReason } from '../../gate/approval/count.ts';
import type { Approval, ApprovalStatement } from '../../gate/approval/statement.ts';
import { type GateAnswer, readCase } from '../../gate/decide.ts';
import type { Case, GateInput } from '../../gate/input.ts';
import { isValidAt } from '../../gate/permit/permit.ts';
import type { Violation } from '../../gate/violation.ts';
import type { ApprovalGivenData } from '../entry-data.ts';
import { type DecidedProposal, proposalKey } from '../gate-state.ts';
import { pendingStation, type RunState } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { refuseUnproposed, reportSuperseded } from './consume-permit.ts';
import type { Decision, DecisionBuilder, GateEnv } from './draft.ts';
import {
  currentProposal,
  type GatedStation,
  gateInput,
  isDecided,
  judgeProposal,
  rejectCommand,
  templateOf,
  writeDecision,
} from './guard.ts';
import { judgeRollback, rollbackInput } from './rollback.ts';
import { isAllowed } from './solve.ts';

/** Why an answer to a proposal is rejected: it could have no effect. */
export type Unanswerable =
  | 'sealed'
  | 'used'
  | 'over'
  | 'denied'
  | 'denied-now'
  | 'replaced'
  | 'not-asked'
  | 'other-server'
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
  // What is shown here would not be what the proposer can use.
  if (proposal.server !== undefined && proposal.server !== judged.server) return refuse('other-server');
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
  const approval: Approval = { statement, source: data.source, key: data.key, by: data.by, givenAt: env.now };
  const refused =
    refusedAnswer(state, proposal, data.decision, env.gate, env.now) ??
    refusedVoice(state, proposal, approval, env.gate, env.now);
  if (refused === null) {
    const item = readCase(gateInputFor(state, proposal, env.gate, env.now)!);
    const { given } = countApprovals({ ...item, approvals: [...item.approvals, approval] }, proposal.hash);
    draft.write('approval.given', { ...data, approvals_given: given });
  }
  return { ...draft.done(), refused };
}

/** Whether the gate would count this answer if it were the only one. */
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
  return count.by.has(approver) && !isRenewal(item, approval)
    ? { why: 'approved-before', reasons: [] }
    : null;
}

/** Whether the same person's recorded approval ends earlier, so that this one extends it. */
function isRenewal({ approvals }: Case, { statement }: Approval): boolean {
  return approvals.every(
    (other) =>
      other.statement.approver !== statement.approver ||
      other.statement.proposal_hash !== statement.proposal_hash ||
      other.statement.expires_at_ms < statement.expires_at_ms,
  );
}

/** The gate for the proposer: a step's environment and files are those of the decision, because an approver has others. */
function asProposerOf({ actor, surroundings }: DecidedProposal, gate: GateEnv): GateEnv {
  return {
    ...gate,
    actor,
    surroundings: { ...gate.surroundings, ofCommand: () => surroundings ?? undefined },
  };
}

/** What the gate is asked about a recorded proposal, as if its proposer submitted it again; null when there is nothing to ask. */
export function gateInputFor(
  state: RunState,
  proposal: DecidedProposal,
  gate: GateEnv,
  now: number,
): GateInput | null {
  const asProposer = asProposerOf(proposal, gate);
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
  const asProposer = asProposerOf(proposal, gate);
  if (proposal.rollback) return judgeRollback(state, proposal, asProposer, now);
  if (proposal.station !== state.at) return null;
  const station = pendingStation(state) as GatedStation;
  return judgeProposal({ state, env: { now } }, station, proposal.text, asProposer);
}

/** A decision of the run, and the gate's result; null when there was nothing to judge. */
interface ProposeDecision extends Decision {
  answer: GateAnswer | null;
}

/**
 * `kairos_propose`: judges a proposal for the pending gated step and records the decision. Without a proposal
 * the newest one of the step is judged again, as after an approval.
 */
export function decidePropose(
  draft: DecisionBuilder,
  step: number | null,
  submitted: unknown,
): ProposeDecision {
  const { state, env } = draft;
  const refused = draft.refuseClosedOrRunning();
  if (refused !== null) return { ...refused, answer: null };
  const pending = pendingStation(state);
  if (pending === null || templateOf(pending) === undefined || !isAllowed(state, pending, step))
    return { ...rejectCommand(draft, 'OUT_OF_ORDER', MESSAGES.noProposalHere), answer: null };
  const station = pending as GatedStation;
  const gate = env.gate;
  if (gate === undefined)
    return { ...rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.noGate), answer: null };
  const subject = submitted ?? currentProposal(state)?.text;
  if (subject === undefined) return { ...refuseUnproposed(draft, station), answer: null };

  const answer = keepPermit(draft, station, judgeProposal(draft, station, subject, gate));
  if (!isOnRecord(draft, answer, gate)) writeDecision(draft, station, subject, answer, gate);
  if (answer.decision === 'DENY' || answer.decision === 'HALT') reportSuperseded(draft, station);
  const from = answer.permit?.valid_from_ms ?? 0;
  if (from > env.now) draft.notes.push(MESSAGES.permitTooEarly(from));
  draft.showPending();
  return { ...draft.done(problemOf(answer)), answer };
}

/** The same proposal again gets the permit that it has, as long as that one lasts. */
function keepPermit({ state, env }: DecisionBuilder, { step }: GatedStation, answer: GateAnswer): GateAnswer {
  const { proposal_hash: hash } = answer;
  const known =
    hash === null ? undefined : state.gate.proposals.get(proposalKey({ hash, step, rollback: false }));
  const kept = known?.permit ?? null;
  if (answer.permit === null || kept === null || known?.used === true) return answer;
  const still = isValidAt(kept, env.now) && kept.binding === answer.permit.binding;
  return still ? { ...answer, permit: kept } : answer;
}

/** Whether exactly this was decided last: then nothing new is written. */
function isOnRecord({ state }: DecisionBuilder, answer: GateAnswer, { actor }: GateEnv): boolean {
  const known = currentProposal(state);
  return (
    known !== null &&
    answer.decision !== 'DENY' &&
    known.hash === answer.proposal_hash &&
    known.actor === actor &&
    isDecided(known, answer) &&
    known.permit?.permit_id === answer.permit?.permit_id
  );
}

function problemOf({ decision }: GateAnswer): Decision['problem'] {
  switch (decision) {
    case 'ALLOW':
      return null;
    case 'HOLD':
      return { code: 'PROPOSAL_ON_HOLD', message: MESSAGES.onHold };
    default:
      return { code: 'PROPOSAL_DENIED', message: MESSAGES.proposalDenied };
  }
}

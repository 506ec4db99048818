import type { GateAnswer } from '../../gate/decide.ts';
import { isValidAt } from '../../gate/permit/permit.ts';
import { proposalKey } from '../gate-state.ts';
import { pendingStation } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { refuseUnproposed, reportSuperseded } from './consume-permit.ts';
import type { Decision, DecisionBuilder, GateEnv } from './draft.ts';
import {
  currentProposal,
  type GatedStation,
  judgeProposal,
  rejectCommand,
  templateOf,
  writeDecision,
} from './guard.ts';
import { isAllowed } from './solve.ts';

/** A decision of the run, and the gate's result; null when there was nothing to judge. */
export interface ProposeDecision extends Decision {
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
  if (state.sealed !== null)
    return { ...draft.done({ code: 'RUN_CLOSED', message: MESSAGES.runClosed }), answer: null };
  const busy = draft.refuseWhileRunning();
  if (busy !== null) return { ...busy, answer: null };
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
    known.decision === answer.decision &&
    known.approvals.given === answer.approvals.given &&
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

import { isValidAt, parameterEnvironment } from '../../gate/permit/permit.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { PermitConsumedData } from '../entry-data.ts';
import { proposalKey } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import type { Decision, DecisionBuilder } from './draft.ts';
import {
  currentProposal,
  fieldsOf,
  type GatedStation,
  gatedStep,
  judgeProposal,
  rejectCommand,
  writeDecision,
} from './guard.ts';

/** `kairos_next` without a solution on a gated step: consumes the permit and shows what it permits. */
export function consumePermit(draft: DecisionBuilder, station: GatedStation): Decision {
  const { state, env } = draft;
  const gate = env.gate;
  if (gate === undefined) return rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.noGate);
  if (state.gate.openRollback?.step === station.step)
    return rejectCommand(draft, 'PROPOSAL_ON_HOLD', MESSAGES.rollbackInDoubt);
  const proposal = currentProposal(state);
  if (proposal?.used === true) return rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.permitInDoubt);
  if (proposal === null || proposal.actor !== gate.actor) return refuseUnproposed(draft, station);
  if (proposal.decision === 'HOLD') return rejectCommand(draft, 'PROPOSAL_ON_HOLD', MESSAGES.onHold);
  if (proposal.decision !== 'ALLOW' || proposal.permit === null) return refuseUnproposed(draft, station);
  if (env.now < proposal.permit.valid_from_ms)
    return rejectCommand(draft, 'PROPOSAL_ON_HOLD', MESSAGES.permitTooEarly(proposal.permit.valid_from_ms));
  if (!isValidAt(proposal.permit, env.now))
    return rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.permitExpired);

  // What depends on time, evidence, approvals or policy is judged again, now.
  const again = judgeProposal(draft, station, proposal.text, gate);
  if (again.decision !== 'ALLOW' || again.permit?.binding !== proposal.permit.binding) {
    writeDecision(draft, station, proposal.text, again, gate);
    return again.decision === 'HOLD'
      ? rejectCommand(draft, 'PROPOSAL_ON_HOLD', MESSAGES.onHold)
      : rejectCommand(draft, 'PROPOSAL_DENIED', MESSAGES.noLongerAllowed);
  }
  const { server } = gatedStep(state, station, gate);
  const data: PermitConsumedData = {
    step: station.step,
    station: state.at,
    uri: stepUri(state.chainId, station.step),
    permit_id: proposal.permit.permit_id,
    proposal_hash: proposal.hash,
    binding: proposal.permit.binding,
    policy_digest: gate.policy?.digest ?? null,
    env:
      station.demand.type === 'shell' ? Object.keys(parameterEnvironment(fieldsOf(proposal).parameters)) : [],
    actor: gate.actor,
    rollback: false,
    ...(server === undefined ? {} : { server_digest: server?.digest ?? '' }),
  };
  draft.write('permit.consumed', data);
  draft.show(state.at, data.permit_id);
  return draft.done();
}

/** Whether the current proposal has a valid, unused permit. */
export function hasPermit(state: RunState, now: number): boolean {
  const proposal = currentProposal(state);
  if (state.gate.open !== null || proposal?.decision !== 'ALLOW' || proposal.used) return false;
  return proposal.permit !== null && proposal.permit.valid_from_ms <= now && isValidAt(proposal.permit, now);
}

/** Nothing is allowed for the step: it needs a proposal, perhaps one that was already made. */
export function refuseUnproposed(draft: DecisionBuilder, station: GatedStation): Decision {
  reportSuperseded(draft, station);
  return rejectCommand(draft, 'PROPOSAL_REQUIRED', MESSAGES.proposalRequired);
}

/**
 * The newest proposal of a step counts, even a denied one. Reports when an earlier unused one of the same
 * person would be allowed now: submitted again it is the newest. Nothing is reported once something may have
 * been done, because the next proposal must consider that.
 */
export function reportSuperseded(draft: DecisionBuilder, station: GatedStation): void {
  const { state, env } = draft;
  const { gate } = env;
  if (gate === undefined || state.gate.open !== null || state.gate.failed.has(station.step)) return;
  const isSuperseded = [...state.gate.proposals.values()].some(
    (proposal) =>
      proposal.station === state.at &&
      !proposal.rollback &&
      !proposal.used &&
      proposal.actor === gate.actor &&
      proposalKey(proposal) !== state.gate.current &&
      (proposal.decision === 'ALLOW' || proposal.decision === 'HOLD') &&
      judgeProposal(draft, station, proposal.text, gate).decision === 'ALLOW',
  );
  if (isSuperseded) draft.notes.push(MESSAGES.superseded);
}

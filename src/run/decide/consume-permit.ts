import { parameterEnvironment } from '../../gate/permit/parameters.ts';
import { isValidAt } from '../../gate/permit/permit.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { PermitConsumedData } from '../entry-data.ts';
import { MESSAGES } from '../wording.ts';
import type { Decision, Draft } from './draft.ts';
import {
  currentProposal,
  fieldsOf,
  type GuardedStation,
  judgeProposal,
  refuse,
  writeDecision,
} from './guard.ts';
import { refuseUnproposed } from './sidelined.ts';

/** `kairos_next` without a solution on a gated step: consumes the permit and shows what it permits. */
export function consumePermit(draft: Draft, station: GuardedStation): Decision {
  const { state, env } = draft;
  const gate = env.gate;
  if (gate === undefined) return refuse(draft, 'PROPOSAL_REQUIRED', MESSAGES.noGate);
  if (state.gate.undoing?.step === station.step)
    return refuse(draft, 'PROPOSAL_ON_HOLD', MESSAGES.rollbackInDoubt);
  const proposal = currentProposal(state);
  if (proposal?.used === true) return refuse(draft, 'PROPOSAL_REQUIRED', MESSAGES.permitInDoubt);
  if (proposal === null || proposal.actor !== gate.actor) return refuseUnproposed(draft, station);
  if (proposal.decision === 'HOLD') return refuse(draft, 'PROPOSAL_ON_HOLD', MESSAGES.onHold);
  if (proposal.decision !== 'ALLOW' || proposal.permit === null) return refuseUnproposed(draft, station);
  if (env.now < proposal.permit.valid_from_ms)
    return refuse(draft, 'PROPOSAL_ON_HOLD', MESSAGES.permitTooEarly(proposal.permit.valid_from_ms));
  if (!isValidAt(proposal.permit, env.now)) return refuse(draft, 'PROPOSAL_REQUIRED', MESSAGES.permitExpired);

  // What depends on time, evidence, approvals or policy is judged again, now.
  const again = judgeProposal(draft, station, proposal.text, gate);
  if (again.decision !== 'ALLOW' || again.permit?.binding !== proposal.permit.binding) {
    writeDecision(draft, station, proposal.text, again, gate);
    return again.decision === 'HOLD'
      ? refuse(draft, 'PROPOSAL_ON_HOLD', MESSAGES.onHold)
      : refuse(draft, 'PROPOSAL_DENIED', MESSAGES.noLongerAllowed);
  }
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
  };
  draft.write('permit.consumed', data);
  draft.show(state.at, data.permit_id);
  return draft.done();
}

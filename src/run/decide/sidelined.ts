import { proposalKey } from '../gate-state.ts';
import { MESSAGES } from '../wording.ts';
import type { Decision, Draft } from './draft.ts';
import { type GuardedStation, judgeProposal, refuse } from './guard.ts';

/** Nothing is allowed for the step: it needs a proposal, perhaps one that was already made. */
export function refuseUnproposed(draft: Draft, station: GuardedStation): Decision {
  tellSidelined(draft, station);
  return refuse(draft, 'PROPOSAL_REQUIRED', MESSAGES.proposalRequired);
}

/**
 * The newest proposal of a step counts, even a denied one. Reports when an earlier unused one of the same
 * person would be allowed now: submitted again it is the newest. Nothing is reported once something may have
 * been done, because the next proposal must consider that.
 */
export function tellSidelined(draft: Draft, station: GuardedStation): void {
  const { state, env } = draft;
  const { gate } = env;
  if (gate === undefined || state.gate.open !== null || state.gate.failed.has(station.step)) return;
  const isSidelined = [...state.gate.proposals.values()].some(
    (proposal) =>
      proposal.station === state.at &&
      !proposal.rollback &&
      !proposal.used &&
      proposal.actor === gate.actor &&
      proposalKey(proposal) !== state.gate.current &&
      (proposal.decision === 'ALLOW' || proposal.decision === 'HOLD') &&
      judgeProposal(draft, station, proposal.text, gate).decision === 'ALLOW',
  );
  if (isSidelined) draft.notes.push(MESSAGES.sidelined);
}

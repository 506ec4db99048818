import { describeChallenge } from '../../proof/describe.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Decision } from '../decide/draft.ts';
import { demandOf, isShownUnderPermit, permittedEnvironment } from '../decide/guard.ts';
import type { RunState } from '../state.ts';
import type { Station } from '../stations.ts';
import type { Challenge } from '../walk-fields.ts';
import { MESSAGES } from '../wording.ts';
import { reachLines, type Standing } from './standing.ts';

/** A challenge is shown only with the nonce that was made for it just now. */
export function challengeOf(
  { state, nonce, proposal }: Decision,
  pending: Station | null,
  standing: Standing,
): Challenge | null {
  if (pending === null || pending.kind === 'none' || nonce === null) return null;
  const { block } = pending;
  const demand = demandOf(state, pending);
  const common = { nonce, proof_hash: state.echo };
  if (block.proposal !== undefined && !isShownUnderPermit(state)) {
    // Command and tool are withheld until the gate has allowed the step.
    return {
      type: 'proposal',
      description: describeChallenge('proposal'),
      ...common,
      proposal: block.proposal,
      ...(proposal === null ? {} : { proposal_draft: proposal }),
    };
  }
  const values = demand.type === 'shell' ? state.values : {};
  const environment = Object.entries({ ...values, ...permittedEnvironment(state, pending) });
  return {
    type: demand.type,
    description: descriptionOf(state, pending, standing),
    ...common,
    ...(demand.assurance === undefined ? {} : { assurance: demand.assurance }),
    ...(block.outputs === undefined ? {} : { outputs: block.outputs }),
    [demand.type]: (demand as Record<string, unknown>)[demand.type],
    ...(environment.length === 0 ? {} : { environment: Object.fromEntries(environment) }),
  };
}

/** What to do, and what of it can be done here. */
function descriptionOf(
  state: RunState,
  { demand, step }: Exclude<Station, { kind: 'none' }>,
  { obtains, left, beyondReach, commandLine }: Standing,
): string {
  if (obtains === 'command') return MESSAGES.serverRuns;
  return [
    describeChallenge(demand.type),
    ...(left === null ? [] : [MESSAGES.left[left](commandLine(['trust', stepUri(state.chainId, 1)]))]),
    ...(beyondReach === null ? [] : reachLines(state, step, beyondReach, commandLine)),
  ].join(' ');
}

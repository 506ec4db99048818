import { canonical, sha256Hex } from '../../base/canonical.ts';
import type { GuardedStep } from '../input.ts';
import type { Proposal } from '../proposal.ts';
import { parameterEnvironment } from './parameters.ts';
import { resolveDemand } from './resolve-demand.ts';

/** How long a permit lasts where the proposal has no window, in milliseconds. */
export const DEFAULT_WINDOW_MS = 5 * 60_000;

/** Leave to do one thing once. */
export interface Permit {
  permit_id: string;
  proposal_hash: string;
  run_id: string;
  step: number;
  /** Milliseconds since the epoch; valid from <= now < until. */
  valid_from_ms: number;
  valid_until_ms: number;
  /** Of the command or tool with arguments, host, directory, timeout and names of variables. */
  binding: string;
}

/** The permit for what is proposed now. Everything in it follows from its input, its id too. */
export function makePermit(
  guarded: GuardedStep,
  proposal: Pick<Proposal, 'parameters' | 'time_window'>,
  proposalHash: string,
  now: number,
): Permit {
  const content = {
    proposal_hash: proposalHash,
    run_id: guarded.runId,
    step: guarded.step,
    valid_from_ms: proposal.time_window?.valid_from_ms ?? now,
    valid_until_ms: proposal.time_window?.valid_until_ms ?? now + DEFAULT_WINDOW_MS,
    binding: bindingOf(guarded, proposal),
  };
  return { permit_id: sha256Hex(`kairos.permit.v1\n${canonical(content)}`), ...content };
}

/** SHA-256 over all that the permit lets be done: another command, tool, argument, host, directory or variable is another. */
export function bindingOf(
  guarded: Pick<GuardedStep, 'demand' | 'chainDigest' | 'place' | 'undoes'>,
  proposal: Pick<Proposal, 'parameters' | 'time_window'>,
): string {
  return bindingHash(boundContent(guarded, proposal));
}

/** The hash that a binding is, of its content. */
export function bindingHash(bound: object): string {
  return sha256Hex(`kairos.binding.v1\n${canonical(bound)}`);
}

/** All that the permit lets be done, in full. */
export function boundContent(
  { demand, chainDigest, place, undoes }: Pick<GuardedStep, 'demand' | 'chainDigest' | 'place' | 'undoes'>,
  proposal: Pick<Proposal, 'parameters' | 'time_window'>,
): BoundContent {
  return {
    chainDigest,
    resolved: resolveDemand(demand, proposal),
    variables: demand.type === 'shell' ? parameterEnvironment(proposal.parameters) : {},
    ...(place === undefined ? {} : { place }),
    ...(undoes === undefined ? {} : { undoes }),
  };
}
export type BoundContent = Pick<GuardedStep, 'chainDigest' | 'place' | 'undoes'> & {
  resolved: GuardedStep['demand'];
  variables: Record<string, string>;
};

/** Whether a permit may be used at an instant. */
export function isValidAt({ valid_from_ms: from, valid_until_ms: until }: Permit, now: number): boolean {
  return from <= now && now < until;
}

import { canonical, sha256Hex } from '../../base/canonical.ts';
import type { Demand } from '../../proof/demand.ts';
import type { GatedStep, VariableValue } from '../input.ts';
import type { Proposal } from '../proposal.ts';

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
  /** Of the command or tool with arguments, host, directory, timeout, variables, environment and started files. */
  binding: string;
}

/** The permit for what is proposed now. Everything in it follows from its input, its id too. */
export function makePermit(
  gated: GatedStep,
  proposal: Pick<Proposal, 'parameters' | 'time_window'>,
  proposalHash: string,
  now: number,
): Permit {
  const content = {
    proposal_hash: proposalHash,
    run_id: gated.runId,
    step: gated.step,
    valid_from_ms: proposal.time_window?.valid_from_ms ?? now,
    valid_until_ms: proposal.time_window?.valid_until_ms ?? now + DEFAULT_WINDOW_MS,
    binding: bindingOf(gated, proposal),
  };
  return { permit_id: sha256Hex(`kairos.permit.v1\n${canonical(content)}`), ...content };
}

/** SHA-256 over everything that the permit allows: another command, tool, server, argument, host, directory or variable is another. */
function bindingOf(gated: GatedStep, proposal: Pick<Proposal, 'parameters' | 'time_window'>): string {
  const { demand, chainDigest, place, directory, server, surroundings, rollsBack: undoes } = gated;
  const bound = {
    chainDigest,
    resolved: resolveDemand(demand, proposal),
    variables: commandVariables(gated, proposal.parameters),
    ...(place === undefined ? {} : { place }),
    ...(directory === undefined ? {} : { directory }),
    ...(server === undefined ? {} : { server }),
    ...(surroundings === undefined ? {} : { surroundings }),
    ...(undoes === undefined ? {} : { undoes }),
  };
  return sha256Hex(`kairos.binding.v1\n${canonical(bound)}`);
}

/** The variables that a step's command gets: inputs and captures of the run, then parameters. A step without a command has none. */
export function commandVariables(
  { demand, variables }: Pick<GatedStep, 'demand' | 'variables'>,
  parameters: Readonly<Record<string, unknown>>,
): Record<string, VariableValue> {
  return demand.type === 'shell' ? { ...variables, ...parameterEnvironment(parameters) } : {};
}

/** Whether a permit may be used at an instant. */
export function isValidAt({ valid_from_ms: from, valid_until_ms: until }: Permit, now: number): boolean {
  return from <= now && now < until;
}

/** What the step asks for once it is permitted: max_duration_ms caps the timeout, parameters are the tool's arguments. */
export function resolveDemand(
  demand: Demand,
  { time_window: window, parameters }: Partial<Proposal>,
): Demand {
  if (demand.type === 'shell' && window !== undefined) {
    const seconds = Math.min(demand.shell.timeout_seconds, Math.floor(window.max_duration_ms / 1000));
    return { ...demand, shell: { ...demand.shell, timeout_seconds: seconds } };
  }
  if (demand.type === 'mcp' && parameters !== undefined)
    return { ...demand, mcp: { ...demand.mcp, arguments: parameters } };
  return demand;
}

/** The variable that a parameter of a command is handed over in; null when its key makes none. */
export function parameterName(key: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `KAIROS_PARAM_${key.toUpperCase()}` : null;
}

/**
 * The environment made from parameters: strings unchanged, everything else as its RFC 8785 text. Never part
 * of a command.
 */
export function parameterEnvironment(parameters: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([key, value]) => {
      const name = parameterName(key);
      return name === null ? [] : [[name, typeof value === 'string' ? value : canonical(value)]];
    }),
  );
}

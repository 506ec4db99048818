import type { Demand } from '../../proof/demand.ts';
import type { Proposal } from '../proposal.ts';

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

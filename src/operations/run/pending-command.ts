import type { ShellDefinition } from '../../host/commands/shell-step.ts';
import { currentProposal, templateOf } from '../../run/decide/guard.ts';
import { isAllowed } from '../../run/decide/solve.ts';
import { pendingStation } from '../../run/state.ts';
import type { OperationContext } from '../context.ts';
import type { NextInput } from '../schemas.ts';
import { locateRun, resolveUri } from './locate.ts';
import { type LoadedRun, loadRun } from './transact.ts';

/** The pending shell step of a call without a solution. */
export interface PendingCommand {
  runId: string;
  step: number;
  station: number;
  shell: ShellDefinition;
  /** A proposal guards the step: what is run is what its permit shows. */
  guarded: boolean;
  /** Files are read when the command has ended. */
  reads: boolean;
  run: LoadedRun;
}

/** Whether a call has no solution, or one with only its type. */
export function asksToRun(input: NextInput): boolean {
  const solution = input.solution ?? input.proof_of_work ?? input.proof_of_work_result ?? null;
  if (solution === null) return true;
  if (typeof solution !== 'object') return false;
  const { type, shell, ...rest } = solution as Record<string, unknown>;
  const bound = Object.keys(rest).every((key) => key === 'nonce' || key === 'proof_hash');
  return type === 'shell' && shell === undefined && bound;
}

export async function pendingCommand(
  ctx: OperationContext,
  { uri, run_id: runId }: NextInput,
): Promise<PendingCommand | null> {
  const step = await resolveUri(ctx, uri);
  const located = await locateRun(ctx, 'kairos_next', { uri, runId, solution: undefined }, step);
  if ('answer' in located) return null;
  const run = await loadRun(ctx, located.run);
  if (run === null || run.state.sealed !== null || !run.state.shown) return null;
  const { state } = run;
  const pending = pendingStation(state);
  if (pending?.kind !== 'proof' || pending.demand.type !== 'shell') return null;
  if (!isAllowed(state, pending, state.chainId === step.chainId ? step.index : null)) return null;
  return {
    runId: located.run.runId,
    step: pending.step,
    station: state.at,
    shell: pending.demand.shell,
    guarded: templateOf(pending) !== undefined,
    reads: pending.block.outputs !== undefined,
    run,
  };
}

/** Whether a gated step has a permit to use. Otherwise the ordinary answer names the next action. */
export function mayRun({ guarded, run }: PendingCommand): boolean {
  const proposal = currentProposal(run.state);
  return !guarded || (proposal?.decision === 'ALLOW' && !proposal.used);
}

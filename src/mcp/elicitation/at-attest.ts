import type { OperationContext } from '../../operations/context.ts';
import { locateRun, resolveUri } from '../../operations/run/locate.ts';
import { loadRun } from '../../operations/run/transact.ts';
import type { AttestInput } from '../../operations/schemas.ts';
import { stepUri } from '../../protocol/identity.ts';
import { pendingStation } from '../../run/state.ts';

/**
 * The run of an attest call whose last step waits for a user's answer, as input of `kairos_next`; null when something
 * else is pending, so that a placeholder never counts as an attempt at another step.
 */
export async function pendingUserInput(
  ctx: OperationContext,
  { uri, run_id: runId, solution }: Pick<AttestInput, 'uri' | 'run_id' | 'solution'>,
): Promise<{ uri: string; run_id: string } | null> {
  const step = await resolveUri(ctx, uri);
  const located = await locateRun(ctx, 'kairos_attest', { uri, runId, solution }, step);
  if ('answer' in located) return null;
  const run = await loadRun(ctx, located.run);
  if (run === null || run.state.sealed !== null || run.state.chainId !== step.chainId) return null;
  const pending = pendingStation(run.state);
  if (pending?.kind !== 'proof' || pending.demand.type !== 'user_input') return null;
  if (pending.step !== run.state.content.steps.length) return null;
  return { uri: stepUri(run.state.chainId, pending.step), run_id: located.run.runId };
}

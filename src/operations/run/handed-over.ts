import { KairosError } from '../../base/errors.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { HandoverNote } from '../../run/handover.ts';
import type { OperationContext } from '../context.ts';
import { loadRun } from './transact.ts';

/**
 * The run that the note hands over, to be resumed; null when there is no note (about this chain). Throws HANDOVER_REFUSED for a note that
 * is not about an open run of the caller's here, as it stands: with the reason and what to do.
 */
export async function handedOver(ctx: OperationContext, chainId?: string): Promise<string | null> {
  const note = (await ctx.handover?.read()) ?? null;
  if (note === null || (chainId !== undefined && note.chainUri !== stepUri(chainId, 1))) return null;
  const { runId, state } = note;
  if (state.actor !== ctx.caller.actor) throw refused(note, 'it is about a run of somebody else');
  const run = state.space === ctx.caller.space ? await loadRun(ctx, runId) : null;
  if (run === null)
    throw refused(
      note,
      `run ${runId} is not in this store and space`,
      'Name the store with --store or KAIROS_STORE and the space with --space, or remove the file.',
    );
  if (run.state.sealed !== null)
    throw refused(note, `run ${runId} is sealed`, 'Remove the file, and begin a new run.');
  if (run.state.at !== state.passed || run.state.echo !== state.echo || run.state.digest !== state.digest)
    throw refused(
      note,
      `run ${runId} has moved on since`,
      `See where it stands and go on with: ${ctx.commandLine(['resume', runId])} (kairos_next with its run_id); then remove the file.`,
    );
  return runId;
}

function refused(
  note: HandoverNote,
  reason: string,
  hint = 'Remove the file, or name your run.',
): KairosError {
  return new KairosError('HANDOVER_REFUSED', `the handover of ${note.updatedAt} is not taken up: ${reason}`, {
    hint,
  });
}

import type { OperationContext } from '../../../operations/context.ts';
import { handedOver } from '../../../operations/run/handed-over.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import type { Revision } from '../../../store/port.ts';
import type { Handler } from '../../command.ts';
import { RUN_REACH, withContext } from '../../context.ts';
import { conductRun } from './conduct.ts';
import { openRunOf } from './open-runs.ts';
import type { WalkOptions } from './options.ts';

/** `kairos resume`: the named run, else the one that was handed over, else your newest open one. */
export const resumeCommand: Handler<[string | undefined], WalkOptions> = (call) =>
  withContext(call, { reach: RUN_REACH, onRun: true }, async (ctx, host) => {
    const [named] = call.args;
    const handed = named === undefined ? await handedOver(ctx) : null;
    const runId = handed ?? (await openRunOf(ctx, named, undefined));
    const document = await storedNow(ctx, runId);
    return conductRun(ctx, host, call, { kind: 'resume', runId, document });
  });

/**
 * The current content in the store, if the run began with stored content. The record doesn't name the file of
 * a run.
 */
async function storedNow(ctx: OperationContext, runId: string): Promise<Revision | null> {
  const run = await loadRun(ctx, runId);
  if (run === null || run.revision.number === 0) return null;
  return ctx.store.head(run.revision.chainId);
}

import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { stepUri } from '../../../protocol/identity.ts';
import { storedRun } from '../stored-run.ts';

/** The id of the open run to go on with: the one named, else the caller's newest (of a chain). */
export async function openRunOf(
  ctx: OperationContext,
  named: string | undefined,
  chainId: string | undefined,
): Promise<string> {
  if (named !== undefined) {
    const run = await storedRun(ctx, named);
    if (chainId !== undefined && run.chainId !== chainId) {
      throw new KairosError(
        'INVALID_INPUT',
        `run ${run.runId} is a run of ${run.slug}, not of this protocol`,
        {
          hint: ctx.commandLine(['resume', run.runId]),
        },
      );
    }
    if (run.sealedAt === null) return run.runId;
    throw new KairosError(
      'INVALID_INPUT',
      `run ${run.runId} was sealed at ${run.sealedAt} as ${run.outcome}`,
      {
        hint: `Begin a new one: ${ctx.commandLine(['run', stepUri(run.chainId, 1)])}`,
      },
    );
  }
  const { actor, space } = ctx.caller;
  const [newest] = await ctx.store.findRuns({
    spaces: [space],
    actor,
    open: true,
    limit: 1,
    ...(chainId === undefined ? {} : { chainId }),
  });
  if (newest !== undefined) return newest.runId;
  throw new KairosError('RUN_NOT_FOUND', 'you have no open run to go on with', {
    hint: `See what there is with: ${ctx.commandLine(['runs'])}`,
  });
}

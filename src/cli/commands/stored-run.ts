import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { RunRow } from '../../store/port.ts';

/** A run of this space. Throws RUN_NOT_FOUND. */
export async function storedRun(ctx: OperationContext, runId: string): Promise<RunRow> {
  const run = await ctx.store.findRun(runId.toLowerCase());
  if (run !== null && run.space === ctx.caller.space) return run;
  throw noRun(ctx, runId);
}

export function noRun({ caller, commandLine }: OperationContext, runId: string): KairosError {
  return new KairosError(
    'RUN_NOT_FOUND',
    `there is no run ${JSON.stringify(runId)} in space ${caller.space}`,
    {
      hint: `See what there is with: ${commandLine(['runs'])}`,
    },
  );
}

/** A run as `--json` prints it. */
export function runObject(run: RunRow) {
  return {
    run_id: run.runId,
    slug: run.slug,
    title: run.title,
    uri: stepUri(run.chainId, 1),
    digest: run.digest,
    space: run.space,
    actor: run.actor,
    session: run.session,
    begun_at: run.begunAt,
    sealed_at: run.sealedAt,
    outcome: run.outcome,
    entries: run.entryCount,
    head: run.head,
  };
}

import type { Handler } from '../../command.ts';
import { RUN_REACH, withContext } from '../../context.ts';
import { chooseRevision } from './choose-revision.ts';
import { conductRun } from './conduct.ts';
import { dryRun } from './dry-run.ts';
import { openRunOf } from './open-runs.ts';
import type { RunOptions } from './options.ts';

/** `kairos run`. With `--json` one event a line. */
export const runCommand: Handler<[string], RunOptions> = (call) => {
  const { resume, dryRun: isDry } = call.options;
  return withContext(call, { reach: RUN_REACH, onRun: resume !== undefined }, async (ctx, host) => {
    const chosen = await chooseRevision(ctx, call);
    if (isDry) return dryRun(ctx, call, chosen.revision);
    if (resume === undefined) return conductRun(ctx, host, call, { kind: 'begin', ...chosen });
    const runId = await openRunOf(ctx, resume === true ? undefined : resume, chosen.revision.chainId);
    return conductRun(ctx, host, call, { kind: 'resume', runId, document: chosen.revision });
  });
};

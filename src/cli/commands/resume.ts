import type { Handler } from '../command.ts';
import { RUN_REACH, withContext } from '../context.ts';
import type { WalkOptions } from '../definitions/run.ts';
import { conductRun } from '../run/conduct.ts';
import { openRunOf } from '../run/open-runs.ts';

/** `kairos resume`: your newest open run, or the one named. */
export const resumeCommand: Handler<[string | undefined], WalkOptions> = (call) =>
  withContext(call, { reach: RUN_REACH }, async (ctx, host) => {
    const runId = await openRunOf(ctx, call.args[0], undefined);
    return conductRun(ctx, host, call, { kind: 'resume', runId, document: null });
  });

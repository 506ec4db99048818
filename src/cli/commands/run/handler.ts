import type { Handler } from '../../command.ts';
import { RUN_REACH, withContext } from '../../context.ts';
import { withWalkFolders } from '../../output-reader.ts';
import { chooseRevision } from './choose-revision.ts';
import { conductRun } from './conduct.ts';
import { dryRun } from './dry-run.ts';
import { openRunOf } from './open-runs.ts';
import type { RunOptions } from './options.ts';

/** `kairos run`. With `--json` one event a line. */
export const runCommand: Handler<[string], RunOptions> = (call) =>
  withContext(call, { reach: RUN_REACH }, async (ctx, host) => {
    const chosen = await chooseRevision(ctx, call);
    const { resume } = call.options;
    if (call.options.dryRun) return dryRun(ctx, call, chosen.revision);
    const walking = await withWalkFolders(ctx, call.io, call.options);
    if (resume === undefined) return conductRun(walking, host, call, { kind: 'begin', ...chosen });
    const runId = await openRunOf(ctx, resume === true ? undefined : resume, chosen.revision.chainId);
    return conductRun(walking, host, call, { kind: 'resume', runId, document: chosen.revision });
  });

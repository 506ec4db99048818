import { join, resolve } from 'node:path';
import { formatDuration } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { type PrunedRun, pruneRuns } from '../../../operations/prune.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/** `kairos runs prune`. With `--json`: `{dry_run, pruned[] {run_id, archive}, kept[] {run_id, reason}}`. */
export const runsPruneCommand: Handler<[], RunsPruneOptions> = (call) =>
  withContext(call, {}, async (ctx, host) => {
    const { options, io, output } = call;
    const { olderThan, keepLast = 0, protocol, dryRun = false } = options;
    if (olderThan > io.now())
      throw new KairosError('USAGE', '--older-than lies in the future', {
        hint: 'Write an age such as 90d.',
      });
    const folder = options.archive === undefined ? join(host.folders.data, 'archive') : options.archive;
    const archive = folder === false ? null : resolve(io.cwd, folder);
    const found: PrunedRun[] = [];
    const prune = { sealedBefore: olderThan, keepLast, protocol, archive, dryRun };
    await pruneRuns(ctx, prune, (pruned) => {
      found.push(pruned);
      if (!output.json) output.print(lineOf(pruned, dryRun, io.now()));
    });
    const kept = found.filter((one) => one.kept !== null);
    const gone = found.filter((one) => one.kept === null);
    if (output.json) {
      output.object({
        dry_run: dryRun,
        pruned: gone.map(({ run, archive: file }) => ({ run_id: run.runId, archive: file })),
        kept: kept.map(({ run, kept: reason }) => ({ run_id: run.runId, reason })),
      });
    } else if (found.length === 0) output.print('No sealed run is that old.');
    else {
      const records = `${gone.length} ${gone.length === 1 ? 'run' : 'runs'}`;
      const where = archive === null ? 'without an archive' : `to ${escapeForTerminal(archive)}`;
      output.note(dryRun ? `${records} would be pruned ${where}.` : `${records} pruned ${where}.`);
    }
    return kept.length === 0 ? EXIT.ok : EXIT.failed;
  });

function lineOf({ run, kept }: PrunedRun, dryRun: boolean, now: number): string {
  const age = formatDuration(now - Date.parse(run.sealedAt ?? run.begunAt));
  const what = kept === null ? (dryRun ? 'would be pruned' : 'pruned') : `stays: ${kept}`;
  return escapeForTerminal(`${run.runId.slice(0, 8)}  ${run.title}, sealed ${age} ago: ${what}`);
}

export interface RunsPruneOptions {
  /** Milliseconds since the epoch. */
  olderThan: number;
  keepLast?: number;
  protocol?: string;
  /** False: none. */
  archive?: string | false;
  dryRun?: boolean;
}

import { KairosError } from '../../../base/errors.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { runObject } from '../stored-run.ts';
import type { RunsListOptions } from './options.ts';

const DEFAULT_LIMIT = 50;

/** `kairos runs`. With `--json`: `{runs[]}`, newest first. */
export const runsListCommand: Handler<[], RunsListOptions> = (call) => {
  const { open, sealed, limit = DEFAULT_LIMIT } = call.options;
  if (open && sealed) throw new KairosError('USAGE', '--open and --sealed exclude each other');
  return withContext(call, {}, async ({ store, caller }) => {
    const { output } = call;
    const only = open ? { open: true } : sealed ? { open: false } : {};
    const runs = await store.findRuns({ spaces: [caller.space], limit, ...only });
    if (output.json) output.object({ runs: runs.map(runObject) });
    else if (runs.length === 0) output.print('No runs.');
    else {
      const { color } = output;
      const heads = [
        { head: 'RUN', style: color.cyan },
        { head: 'PROTOCOL' },
        { head: 'BEGUN' },
        { head: 'STATE' },
        { head: 'BY' },
      ];
      const rows = runs.map((run) => [run.runId, run.slug, run.begunAt, run.outcome ?? 'open', run.actor]);
      output.print(await table(heads, rows, { color }));
    }
    return EXIT.ok;
  });
};

import { formatDuration } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import {
  DEFAULT_RUN_LIMIT,
  type ListedRun,
  listRuns,
  type RunListOptions,
} from '../../../operations/runs.ts';
import { runObject } from '../../../operations/stored-run.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';

/** `kairos runs`. With `--json`: `{runs[], total}`. */
export const runsListCommand: Handler<[], RunListOptions> = (call) => {
  const { options, output, io } = call;
  if (options.open && options.sealed)
    throw new KairosError('USAGE', '--open and --sealed exclude each other');
  return withContext(call, {}, async (ctx) => {
    const found = await listRuns(ctx, options, io.now());
    const shown = found.slice(0, options.limit ?? DEFAULT_RUN_LIMIT);
    if (output.json) {
      output.object({ runs: shown.map(listedObject), total: found.length });
      return EXIT.ok;
    }
    if (shown.length === 0) {
      output.print('No runs.');
      return EXIT.ok;
    }
    const { color } = output;
    const heads = [
      { head: 'RUN', style: color.cyan },
      { head: 'PROTOCOL' },
      { head: 'STEPS' },
      { head: 'STATE' },
      { head: 'BY' },
      { head: 'BEGUN' },
      { head: 'TOOK' },
    ];
    // What the other columns take at most, with the space between them.
    const room = Math.max(16, output.width - 68);
    const rows = shown.map((listed) => rowOf(listed, io.now(), room));
    output.print(await table(heads, rows, { color }));
    if (found.length > shown.length) {
      output.note(`${found.length - shown.length} more. Show them with --limit ${found.length}.`);
    }
    return EXIT.ok;
  });
};

function rowOf(
  { run, passed, steps, waiting, damaged, durationMs }: ListedRun,
  now: number,
  room: number,
): string[] {
  const open = waiting === null ? 'open' : `waits for ${waiting}`;
  return [
    run.runId.slice(0, 8),
    cut(run.title, room),
    steps === 0 ? '?' : `${passed}/${steps}`,
    damaged ? 'damaged' : (run.outcome ?? open),
    cut(run.actor, 12),
    ago(now - Date.parse(run.begunAt)),
    run.sealedAt === null ? '' : formatDuration(durationMs),
  ];
}

function ago(ms: number): string {
  return ms < 60_000 ? 'just now' : `${formatDuration(ms).replace(/(?<=\d+ (?:d|h|min)) .*/, '')} ago`;
}

function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

function listedObject({ run, passed, steps, host, waiting, damaged, durationMs }: ListedRun) {
  return {
    ...runObject(run),
    state: run.sealedAt !== null ? 'sealed' : waiting === null ? 'open' : 'waiting',
    waits_for: waiting,
    progress: { passed, steps },
    host,
    damaged,
    duration_ms: durationMs,
  };
}

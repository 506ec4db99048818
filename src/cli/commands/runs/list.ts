import { formatDuration, localTime } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import { runObject } from '../../../operations/run/locate.ts';
import {
  DEFAULT_RUN_LIMIT,
  type ListedRun,
  listedState,
  listRuns,
  type RunListOptions,
} from '../../../operations/runs.ts';
import { runsNamed } from '../../../operations/target.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { type FittedColumn, fitColumns, table } from '../../terminal/layout.ts';

/** `kairos runs`. With `--json`: `{runs[], total}`. */
export const runsListCommand: Handler<[], ListOptions> = (call) => {
  const { options, output, io } = call;
  if (options.open && options.sealed)
    throw new KairosError('USAGE', '--open and --sealed exclude each other', { hint: 'Keep one of them.' });
  if (options.state !== undefined && (options.open || options.sealed))
    throw new KairosError('USAGE', '--state excludes --open and --sealed', { hint: 'Keep --state.' });
  const { since, until } = options;
  if (since !== undefined && until !== undefined && since >= until) {
    throw new KairosError('USAGE', '--since is not before --until, so no run can fit', {
      hint: 'Exchange the two times, or leave one out.',
    });
  }
  return withContext(call, {}, async (ctx) => {
    const { protocol } = options;
    const isOf = protocol === undefined ? undefined : await runsNamed(ctx, protocol, io);
    const found = await listRuns(ctx, { ...options, isOf }, io.now());
    const shown = found.slice(0, options.limit ?? DEFAULT_RUN_LIMIT);
    if (output.json) {
      output.object({ runs: shown.map(listedObject), total: found.length });
      return EXIT.ok;
    }
    if (shown.length === 0) {
      const isFiltered = Object.keys(options).some((name) => FILTERS.has(name));
      output.print(isFiltered ? 'No run fits these filters.' : 'No runs.');
      return EXIT.ok;
    }
    const { color } = output;
    // What is piped is not cut.
    const width = io.stdout.columns ?? Number.POSITIVE_INFINITY;
    const columns = await fitted(shown, { now: io.now(), width });
    const heads = columns.map(({ head }) => (head === 'RUN' ? { head, style: color.cyan } : { head }));
    const rows = shown.map((_, at) => columns.map(({ cells }) => cells[at] ?? ''));
    output.print(await table(heads, rows, { color }));
    if (found.length > shown.length) {
      output.note(`${found.length - shown.length} more. Show them with --limit ${found.length}.`);
    }
    return EXIT.ok;
  });
};

const FILTERS = new Set([
  ...['protocol', 'actor', 'host', 'outcome', 'state'],
  ...['open', 'sealed', 'since', 'until'],
]);

interface ListOptions extends Omit<RunListOptions, 'isOf'> {
  protocol?: string;
}

/** Returns the columns that fit this terminal width. The least important ones are dropped first. The title gets the rest. */
function fitted(
  runs: readonly ListedRun[],
  { now, width }: { now: number; width: number },
): Promise<FittedColumn[]> {
  return fitColumns(columnsOf(runs, now), {
    width,
    title: 'PROTOCOL',
    least: 12,
    wanted: 24,
    dispensable: DISPENSABLE.map(({ head, cell }) =>
      cell === undefined ? { head } : { head, cells: runs.map((run) => cell(run, now)) },
    ),
  });
}

/** Columns that are left out where a terminal is narrow, in this order, or written shorter. */
const DISPENSABLE: { head: string; cell?: (run: ListedRun, now: number) => string }[] = [
  { head: 'HOST' },
  { head: 'BEGUN', cell: ({ run }, now) => ago(now - Date.parse(run.begunAt)) },
  { head: 'TOOK' },
  { head: 'BY' },
  { head: 'BEGUN' },
  { head: 'STEPS' },
  { head: 'STATE', cell: (run) => listedState(run).replace(/^waits .*/, 'waits') },
];

function columnsOf(runs: readonly ListedRun[], now: number): FittedColumn[] {
  const column = (head: string, cell: (run: ListedRun) => string) => ({ head, cells: runs.map(cell) });
  return [
    column('RUN', ({ run }) => run.runId.slice(0, 8)),
    column('PROTOCOL', ({ run }) => run.title),
    column('STEPS', ({ run, passed, steps }) => {
      if (steps > 0) return `${passed}/${steps}`;
      return run.tombstone === undefined ? '?' : '';
    }),
    column('STATE', listedState),
    column('BY', ({ run }) => run.actor),
    column('HOST', ({ host }) => host ?? ''),
    column('BEGUN', ({ run }) => `${localTime(run.begunAt, 'short')}, ${ago(now - Date.parse(run.begunAt))}`),
    column('TOOK', ({ run, durationMs }) => (run.sealedAt === null ? '' : formatDuration(durationMs))),
  ];
}

function ago(ms: number): string {
  return ms < 60_000 ? 'just now' : `${formatDuration(ms).replace(/(?<=\d+ (?:d|h|min)) .*/, '')} ago`;
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

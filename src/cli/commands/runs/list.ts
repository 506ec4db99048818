import { formatDuration } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { runObject } from '../../../operations/stored-run.ts';
import { currentProposal } from '../../../run/decide/guard.ts';
import { type RunState as FoldedRun, pendingStation } from '../../../run/state.ts';
import { orDamaged } from '../../../store/intact.ts';
import type { RunRow } from '../../../store/port.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';

const DEFAULT_LIMIT = 50;

/** A run of a list, with what only its record tells. */
export interface ListedRun {
  run: RunRow;
  passed: number;
  steps: number;
  host: string | null;
  /** What an open run waits for. */
  waiting: 'an answer' | 'approval' | null;
  damaged: boolean;
  durationMs: number;
}

/** `kairos runs`. With `--json`: `{runs[], total}`. */
export const runsListCommand: Handler<[], RunsListOptions> = (call) => {
  const { options, output, io } = call;
  if (options.open && options.sealed)
    throw new KairosError('USAGE', '--open and --sealed exclude each other');
  return withContext(call, {}, async (ctx) => {
    const found = await listRuns(ctx, options, io.now());
    const shown = found.slice(0, options.limit ?? DEFAULT_LIMIT);
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

/** Runs of the space that fit, with what their records say of them. */
export async function listRuns(
  ctx: OperationContext,
  options: RunsListOptions,
  now: number,
): Promise<ListedRun[]> {
  const { protocol, actor, host, outcome, since, until, sort = 'begun' } = options;
  const state = options.state ?? (options.open ? 'open' : options.sealed ? 'sealed' : undefined);
  const rows = await ctx.store.findRuns({
    spaces: [ctx.caller.space],
    ...(actor === undefined ? {} : { actor }),
    ...(state === undefined ? {} : { open: state !== 'sealed' }),
  });
  const candidates = rows.filter(
    (row) =>
      (protocol === undefined || row.slug === protocol) &&
      (outcome === undefined || row.outcome === outcome) &&
      (since === undefined || Date.parse(row.begunAt) >= since) &&
      (until === undefined || Date.parse(row.begunAt) < until),
  );
  const limit = options.limit ?? DEFAULT_LIMIT;
  // The records of those that are only counted need not be read.
  const needsRecords = host !== undefined || state === 'waiting';
  const listed: ListedRun[] = [];
  for (const row of sorted(candidates, sort, now)) {
    const item = needsRecords || listed.length < limit ? await listedOf(ctx, row, now) : unread(row, now);
    if (host !== undefined && item.host !== host) continue;
    if (state === 'waiting' && item.waiting === null) continue;
    listed.push(item);
  }
  return listed;
}

function sorted(rows: RunRow[], sort: NonNullable<RunsListOptions['sort']>, now: number): RunRow[] {
  if (sort === 'duration') return rows.toSorted((a, b) => tookOf(b, now) - tookOf(a, now));
  if (sort === 'protocol') return rows.toSorted((a, b) => a.slug.localeCompare(b.slug));
  if (sort === 'actor') return rows.toSorted((a, b) => a.actor.localeCompare(b.actor));
  return rows;
}

async function listedOf(ctx: OperationContext, run: RunRow, now: number): Promise<ListedRun> {
  const loaded = await orDamaged(loadRun(ctx, run));
  if (loaded === 'damaged' || loaded === null) return { ...unread(run, now), damaged: true };
  const { state } = loaded;
  const pending = state.stations[state.at];
  return {
    ...unread(run, now),
    passed:
      run.sealedAt !== null && run.outcome === 'success'
        ? state.content.steps.length
        : (pending?.step ?? 1) - (pending?.kind === 'closing' ? 0 : 1),
    steps: state.content.steps.length,
    host: state.place?.host ?? null,
    waiting: waitingFor(state),
  };
}

function unread(run: RunRow, now: number): ListedRun {
  return {
    run,
    passed: 0,
    steps: 0,
    host: null,
    waiting: null,
    damaged: false,
    durationMs: tookOf(run, now),
  };
}

/** What a person has to do for an open run. */
export function waitingFor(state: FoldedRun): ListedRun['waiting'] {
  if (state.sealed !== null) return null;
  if (currentProposal(state)?.decision === 'HOLD') return 'approval';
  const pending = pendingStation(state);
  return pending?.kind === 'proof' && pending.demand.type === 'user_input' && state.shown
    ? 'an answer'
    : null;
}

function tookOf({ begunAt, sealedAt }: RunRow, now: number): number {
  return (sealedAt === null ? now : Date.parse(sealedAt)) - Date.parse(begunAt);
}

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

type RunListState = 'open' | 'waiting' | 'sealed';

export interface RunsListOptions {
  open?: boolean;
  sealed?: boolean;
  state?: RunListState;
  outcome?: 'success' | 'failure';
  protocol?: string;
  actor?: string;
  host?: string;
  since?: number;
  until?: number;
  limit?: number;
  sort?: 'begun' | 'duration' | 'protocol' | 'actor';
}

import { checkTombstone } from '../ledger/beside.ts';
import type { LedgerEntry, Seal } from '../ledger/entry.ts';
import { claimsOnly } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import { followedDigests } from '../run/entry-data.ts';
import { replay } from '../run/evolve.ts';
import { type WaitsFor, waitingFor, waitsText } from '../run/notices.ts';
import { countAssurance } from '../run/state.ts';
import { orDamaged, pruned, requireIntactLedger } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { storedRun } from './run/locate.ts';
import { loadRun } from './run/transact.ts';

/** How many runs a list reads and shows. */
export const DEFAULT_RUN_LIMIT = 50;

/** A run of a list, with what only its record shows. */
export interface ListedRun {
  run: RunRow;
  passed: number;
  steps: number;
  host: string | null;
  /** What an open run waits for. */
  waiting: WaitsFor | null;
  damaged: boolean;
  durationMs: number;
}

/** The state of a run of a list, for people. */
export function listedState({ run, waiting, damaged }: ListedRun): string {
  if (damaged) return 'damaged';
  if (run.outcome === null) return waiting === null ? 'open' : waitsText(waiting);
  return `${run.outcome}${run.tombstone === undefined ? '' : ', pruned'}`;
}

type RunListState = 'open' | 'waiting' | 'sealed';

export interface RunListOptions {
  open?: boolean;
  sealed?: boolean;
  state?: RunListState;
  outcome?: 'success' | 'failure';
  /** Whether a run is of the protocol that is looked for. */
  isOf?: (run: RunRow) => boolean;
  actor?: string;
  host?: string;
  since?: number;
  until?: number;
  limit?: number;
  sort?: 'begun' | 'duration' | 'protocol' | 'actor';
}

/** Runs of the space that fit, with what their records show. */
export async function listRuns(
  ctx: OperationContext,
  options: RunListOptions,
  now: number,
): Promise<ListedRun[]> {
  const { isOf, actor, host, outcome, since, until, sort = 'begun' } = options;
  const state = options.state ?? (options.open ? 'open' : options.sealed ? 'sealed' : undefined);
  const rows = await ctx.store.findRuns({
    spaces: [ctx.caller.space],
    ...(actor === undefined ? {} : { actor }),
    ...(state === undefined ? {} : { open: state !== 'sealed' }),
  });
  const candidates = rows.filter(
    (row) =>
      (isOf === undefined || isOf(row)) &&
      (outcome === undefined || row.outcome === outcome) &&
      (since === undefined || Date.parse(row.begunAt) >= since) &&
      (until === undefined || Date.parse(row.begunAt) < until),
  );
  const limit = options.limit ?? DEFAULT_RUN_LIMIT;
  // The records of those that are only counted need not be read.
  const needsRecords = host !== undefined || state === 'waiting';
  const listed: ListedRun[] = [];
  for (const row of sorted(candidates, sort, now)) {
    const item = needsRecords || listed.length < limit ? await listedRun(ctx, row, now) : unread(row, now);
    if (host !== undefined && item.host !== host) continue;
    if (state === 'waiting' && item.waiting === null) continue;
    listed.push(item);
  }
  return listed;
}

function sorted(rows: RunRow[], sort: NonNullable<RunListOptions['sort']>, now: number): RunRow[] {
  if (sort === 'duration') return rows.toSorted((a, b) => tookOf(b, now) - tookOf(a, now));
  if (sort === 'protocol') return rows.toSorted((a, b) => a.slug.localeCompare(b.slug));
  if (sort === 'actor') return rows.toSorted((a, b) => a.actor.localeCompare(b.actor));
  return rows;
}

/** A run with what its record shows, or what its tombstone keeps of that. */
export async function listedRun(
  ctx: OperationContext,
  run: RunRow,
  now: number = ctx.clock(),
): Promise<ListedRun> {
  if (run.tombstone !== undefined) {
    const kept = checkTombstone(run.tombstone, run.runId);
    const { host = null, passed = 0, steps = 0 } = kept.ok ? kept.value : {};
    return { ...unread(run, now), host, passed, steps };
  }
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

function tookOf({ begunAt, sealedAt }: RunRow, now: number): number {
  return (sealedAt === null ? now : Date.parse(sealedAt)) - Date.parse(begunAt);
}

/** A stored run with what its record shows. */
export interface RecordedRun {
  run: RunRow;
  entries: LedgerEntry[];
  seal: Seal | null;
  /** Null when the store no longer has it, or has it in another form. */
  content: ChainContent | null;
  /** The content was changed in the store. */
  isContentDamaged: boolean;
  facts: RecordedFacts;
}

export type RecordedFacts = ReturnType<typeof factsOf>;

/** Reads the record of a run. Throws RUN_NOT_FOUND, or STORE_DAMAGED for a changed ledger. */
export async function runRecord(ctx: OperationContext, reference: string): Promise<RecordedRun> {
  const { store } = ctx;
  const row = await storedRun(ctx, reference);
  if (row.tombstone !== undefined) throw pruned(row.runId, row.tombstone);
  const entries = await store.readEntries(row.runId);
  requireIntactLedger(row, null, entries);
  const run = { ...row, digest: followedDigests(entries).at(-1) ?? row.digest };
  const seal = await store.readSeal(run.runId);
  // Without the content in the store, the ledger still has everything except the names of the steps.
  const found = await orDamaged(store.revisionByDigest(run.chainId, run.digest));
  const content = found === 'damaged' ? null : (found?.content ?? null);
  return {
    run,
    entries,
    seal,
    content,
    isContentDamaged: found === 'damaged',
    facts: factsOf(entries, content),
  };
}

/** How the name of the run's actor is known; null in ledgers without it. */
function originOf([begun]: readonly LedgerEntry[]): string | null {
  const origin = begun?.data.actor_origin;
  return typeof origin === 'string' ? origin : null;
}

/** What a record shows of a run as a whole. */
export function factsOf(entries: readonly LedgerEntry[], content: ChainContent | null) {
  const state = replay(content ?? NO_CONTENT, entries);
  const assurance = countAssurance(state);
  return {
    context: { place: state.place, policy: state.policy },
    actorOrigin: originOf(entries),
    actorAccount: state.account,
    assurance,
    selfReported: claimsOnly(assurance),
    inDoubt: state.inDoubt,
    // A command that was started under the permit is reported instead.
    permitInDoubt: state.inDoubt === null && state.sealed === null ? state.gate.open : null,
    rollbackInDoubt: state.gate.openRollback,
  };
}

const NO_CONTENT: ChainContent = {
  slug: '',
  title: '',
  version: null,
  tags: [],
  description: '',
  triggers: null,
  completion_rule: null,
  steps: [],
};

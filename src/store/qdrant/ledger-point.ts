import { randomUUID } from 'node:crypto';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import type { RunQuery, RunRow } from '../port.ts';
import { noncesOf, type RunFacts, runFacts, sealFacts } from '../run-row.ts';
import type { Condition, Payload, Points, QdrantPoint, Stored } from './api.ts';
import { readJson } from './chain-point.ts';
import { is, isOneOf, type Kind, type Known, ofKind, pointId, storable } from './ids.ts';

/**
 * Entries that were appended together, in one point that never changes: readers see all of them or none. The
 * first point of a run is the run itself (kind `run`), its id made from the run's number in the store; the id
 * of each later one (kind `batch`) is made from the run and the number of its first entry. So the first
 * writer wins.
 */
interface Batch {
  runId: string;
  /** Number of its first entry. */
  first: number;
  /** Number of the entry after its last. */
  end: number;
  /** Hash of its last entry. */
  head: string;
  sealed: boolean;
  sealedAt: string | null;
  outcome: RunRow['outcome'];
}

/** Keys of a batch without the entries. */
const BATCH_KEYS = ['kind', 'run_id', 'first', 'end', 'head', 'sealed', 'sealed_at', 'outcome'];
/** Keys of a run's row. */
export const RUN_KEYS = [...BATCH_KEYS, 'store_seq', 'facts', 'closed', 'row', 'tombstone'];

export const runPointId = (storeSeq: number): string => pointId('run', storeSeq);

/** The point that makes a run out of its first entries. Throws INTERNAL when they do not begin with a whole `run.begun`. */
export function runPoint(storeSeq: number, entries: readonly LedgerEntry[], seal: Seal | null): QdrantPoint {
  const facts = runFacts(entries);
  const { space, chainId, actor, session } = facts;
  return {
    id: runPointId(storeSeq),
    vector: {},
    payload: {
      ...batchPayload('run', entries, seal),
      store_seq: storeSeq,
      facts: JSON.stringify(facts),
      space: storable(space),
      chain_id: storable(chainId),
      actor: storable(actor),
      ...(session === null ? {} : { session: storable(session) }),
    },
  };
}

/** The point of a pruned run that comes from another store. */
export function prunedPoint(row: RunRow): QdrantPoint {
  const { runId, storeSeq, sealedAt, outcome, tombstone, entryCount, head } = row;
  const { space, chainId, digest, slug, title, actor, session, begunAt } = row;
  return {
    id: runPointId(storeSeq),
    vector: {},
    payload: {
      kind: 'run',
      run_id: storable(runId),
      first: 0,
      end: entryCount,
      head,
      entries: [],
      nonces: [],
      sealed: true,
      sealed_at: sealedAt,
      outcome,
      store_seq: storeSeq,
      facts: JSON.stringify({ space, chainId, digest, slug, title, actor, session, begunAt }),
      space: storable(space),
      chain_id: storable(chainId),
      actor: storable(actor),
      ...(session === null ? {} : { session: storable(session) }),
      closed: true,
      row: JSON.stringify(row),
      tombstone,
      writer: randomUUID(),
    },
  };
}

/** The point of entries that follow others. */
export function batchPoint(entries: readonly LedgerEntry[], seal: Seal | null): QdrantPoint {
  const first = entries[0];
  return {
    id: pointId('run', first?.run_id ?? '', first?.seq ?? 0),
    vector: {},
    payload: batchPayload('batch', entries, seal),
  };
}

/** Writes a point of entries where none is yet. False when another one has its place. */
export async function claim(points: Points, point: QdrantPoint): Promise<boolean> {
  await points.insert([point]);
  const [stands] = await points.get([String(point.id)], ['writer']);
  return stands?.payload?.writer === point.payload?.writer;
}

/** All points of a run in order; empty for an unknown run, even if another point names it. */
export async function readRunPoints(points: Points, runId: string, keys: string[]): Promise<Stored[]> {
  const found: Stored[] = [];
  const filter = ofKind(['run', 'batch'], is('run_id', runId));
  for await (const stored of points.all(filter, [...keys, 'tombstone'])) found.push(stored);
  const run = found.find(({ payload }) => payload?.kind === 'run');
  if (run === undefined) return [];
  // A prune that was broken off leaves batches behind, which no longer count.
  if (run.payload?.tombstone !== undefined) return [run];
  return found.sort((a, b) => Number(a.payload?.first) - Number(b.payload?.first));
}

/** The entries in the points of a run, and its seal. */
export function contentsOf(stored: readonly Stored[]): { entries: LedgerEntry[]; seal: Seal | null } {
  let seal: Seal | null = null;
  const entries: LedgerEntry[] = [];
  for (const { id, payload } of stored) {
    for (const text of (payload?.entries ?? []) as string[]) entries.push(readJson(text, id) as LedgerEntry);
    if (payload?.seal != null) seal = readJson(payload.seal, id) as Seal;
  }
  return { entries, seal };
}

export function toBatch({ payload }: Stored): Batch {
  const { run_id, first, end, head, sealed, sealed_at, outcome } = payload as Payload;
  return {
    runId: String(run_id),
    first: Number(first),
    end: Number(end),
    head: String(head),
    sealed: sealed === true,
    sealedAt: (sealed_at ?? null) as string | null,
    outcome: (outcome ?? null) as RunRow['outcome'],
  };
}

/** The row of a run from its point and all of its batches. */
export function toRow({ id, payload }: Stored, batches: readonly Batch[]): RunRow {
  const last = batches.at(-1);
  const closing = batches.find(({ sealedAt }) => sealedAt !== null);
  return {
    runId: String(payload?.run_id),
    storeSeq: Number(payload?.store_seq),
    ...(readJson(payload?.facts, id) as RunFacts),
    sealedAt: closing?.sealedAt ?? null,
    outcome: closing?.outcome ?? null,
    head: last?.head ?? '',
    entryCount: last?.end ?? 0,
  };
}

function batchPayload(kind: Kind, entries: readonly LedgerEntry[], seal: Seal | null): Payload {
  const first = entries[0];
  const last = entries.at(-1);
  const { sealedAt, outcome } = sealFacts(entries);
  return {
    kind,
    run_id: storable(first?.run_id ?? ''),
    first: first?.seq ?? 0,
    end: (last?.seq ?? -1) + 1,
    head: last?.hash ?? '',
    entries: entries.map((entry) => JSON.stringify(entry)),
    nonces: entries.flatMap(noncesOf).map(storable),
    ...(sealedAt === null ? {} : { sealed_at: sealedAt, outcome }),
    ...(seal === null ? {} : { sealed: true, seal: JSON.stringify(seal) }),
    writer: randomUUID(),
  };
}

/** Runs that are looked at in one request. */
const PAGE = 64;

export async function fetchLastRun(points: Points): Promise<{ storeSeq: number; head: string } | null> {
  const [newest] = await points.first(ofKind('run'), RUN_KEYS, 1, { key: 'store_seq', direction: 'desc' });
  if (newest === undefined) return null;
  const [row] = await rowsOf(points, [newest]);
  return row === undefined ? null : { storeSeq: row.storeSeq, head: row.head };
}

/** The row of a run. Its entries come in the same request and wait for `readEntries` of this row. */
export async function fetchRun(points: Points, known: Known, runId: string): Promise<RunRow | null> {
  const run = await readRunPoints(points, runId, [...RUN_KEYS, 'entries']);
  if (run[0] === undefined) return null;
  if (run[0].payload?.tombstone !== undefined) return keptRow(run[0]);
  const now = toRow(run[0], run.map(toBatch));
  const row = keptRow(run[0]) ?? now;
  known.ends.set(runId, now);
  try {
    known.entries.set(row, contentsOf(run).entries);
  } catch {
    // An unreadable entry is an error of `readEntries`.
  }
  return row;
}

/** The row of a sealed run for lists of runs; null for a missing or unreadable one. */
function keptRow({ id, payload }: Stored): RunRow | null {
  if (payload?.closed !== true) return null;
  try {
    return readJson(payload.row, id) as RunRow;
  } catch {
    return null;
  }
}

/** The run that has this number in the store. */
export async function fetchRunAt(points: Points, storeSeq: number): Promise<string | null> {
  const [stored] = await points.get([runPointId(storeSeq)], ['run_id']);
  return stored === undefined ? null : String(stored.payload?.run_id);
}

/** Runs that fit every given part of the query, newest first. */
export async function fetchRuns(points: Points, query: RunQuery): Promise<RunRow[]> {
  if (query.spaces.length === 0) return [];
  const { open, limit = Number.POSITIVE_INFINITY } = query;
  const conditions: Condition[] = [isOneOf('space', query.spaces)];
  if (query.chainId !== undefined) conditions.push(is('chain_id', query.chainId));
  if (query.actor !== undefined) conditions.push(is('actor', query.actor));
  if (query.session !== undefined) conditions.push(is('session', query.session));
  const filter = {
    ...ofKind('run', ...conditions),
    ...(open === true ? { must_not: is('closed', true) } : {}),
  };
  const found: RunRow[] = [];
  let from: number | undefined;
  while (found.length < limit) {
    const order = { key: 'store_seq', direction: 'desc', ...(from === undefined ? {} : { from }) } as const;
    const page = await points.first(filter, RUN_KEYS, PAGE, order);
    const rows = await rowsOf(points, page);
    found.push(
      ...rows.filter(
        ({ runId, sealedAt }) =>
          runId.startsWith(query.idPrefix ?? '') && (open === undefined || open === (sealedAt === null)),
      ),
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    from = last.storeSeq - 1;
  }
  return found.slice(0, limit);
}

/** The run that showed a nonce. */
export async function fetchRunByNonce(points: Points, nonceSha256: string): Promise<string | null> {
  const filter = ofKind(['run', 'batch'], is('nonces', nonceSha256));
  for (const { payload } of await points.first(filter, ['run_id', 'kind'], PAGE)) {
    const runId = String(payload?.run_id);
    if (payload?.kind === 'run' || (await readRunPoints(points, runId, BATCH_KEYS)).length > 0) return runId;
  }
  return null;
}

/** Rows of runs in the given order. Sealed runs have a stored row; the others are computed. */
async function rowsOf(points: Points, runs: readonly Stored[]): Promise<RunRow[]> {
  const open = runs.filter(({ payload }) => payload?.closed !== true);
  const batches = new Map<string, Batch[]>(open.map((run) => [String(run.payload?.run_id), [toBatch(run)]]));
  if (open.length > 0) {
    const filter = ofKind('batch', isOneOf('run_id', [...batches.keys()]));
    for await (const stored of points.all(filter, BATCH_KEYS)) {
      batches.get(String(stored.payload?.run_id))?.push(toBatch(stored));
    }
  }
  return runs.map((run) => {
    if (run.payload?.closed === true) return readJson(run.payload.row, run.id) as RunRow;
    const own = batches.get(String(run.payload?.run_id)) ?? [];
    return toRow(
      run,
      own.sort((a, b) => a.first - b.first),
    );
  });
}

import { randomUUID } from 'node:crypto';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import type { RunRow } from '../port.ts';
import { noncesOf, type RunFacts, runFacts, sealFacts } from '../run-row.ts';
import type { Payload, Point, Points, Stored } from './api.ts';
import { readJson } from './chain-point.ts';
import { is, type Kind, ofKind, pointId, storable } from './ids.ts';

/**
 * Entries that were appended together, in one point that never changes: readers see all of them or none. The
 * first point of a run is the run itself (kind `run`), its id made from the run's number in the store; the id
 * of each later one (kind `batch`) is made from the run and the number of its first entry. So the first
 * writer wins.
 */
export interface Batch {
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
export const BATCH_KEYS = ['kind', 'run_id', 'first', 'end', 'head', 'sealed', 'sealed_at', 'outcome'];
/** Keys of a run's row. */
export const RUN_KEYS = [...BATCH_KEYS, 'store_seq', 'facts', 'closed', 'row'];

export const runPointId = (storeSeq: number): string => pointId('run', storeSeq);

/** The point that makes a run out of its first entries. Throws INTERNAL when they do not begin with a whole `run.begun`. */
export function runPoint(storeSeq: number, entries: readonly LedgerEntry[], seal: Seal | null): Point {
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

/** The point of entries that follow others. */
export function batchPoint(entries: readonly LedgerEntry[], seal: Seal | null): Point {
  const first = entries[0];
  return {
    id: pointId('run', first?.run_id ?? '', first?.seq ?? 0),
    vector: {},
    payload: batchPayload('batch', entries, seal),
  };
}

/** Writes a point of entries where none is yet. False when another one has its place. */
export async function claim(points: Points, point: Point): Promise<boolean> {
  await points.insert([point]);
  const [stands] = await points.get([String(point.id)], ['writer']);
  return stands?.payload?.writer === point.payload?.writer;
}

/** All points of a run in order; empty for an unknown run, even if another point names it. */
export async function readRunPoints(points: Points, runId: string, keys: string[]): Promise<Stored[]> {
  const found: Stored[] = [];
  for await (const stored of points.all(ofKind(['run', 'batch'], is('run_id', runId)), keys))
    found.push(stored);
  if (!found.some(({ payload }) => payload?.kind === 'run')) return [];
  return found.sort((a, b) => Number(a.payload?.first) - Number(b.payload?.first));
}

/** The entries in the points of a run, and its seal. */
export function contentsOf(stored: readonly Stored[]): { entries: LedgerEntry[]; seal: Seal | null } {
  let seal: Seal | null = null;
  const entries: LedgerEntry[] = [];
  for (const { id, payload } of stored) {
    for (const text of (payload?.entries ?? []) as string[]) entries.push(readJson(text, id) as LedgerEntry);
    if (payload?.seal !== undefined) seal = readJson(payload.seal, id) as Seal;
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

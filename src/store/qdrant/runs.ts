import type { RunQuery, RunRow } from '../port.ts';
import type { Condition, Points, Stored } from './api.ts';
import { readJson } from './chain-point.ts';
import { is, isOneOf, ofKind } from './ids.ts';
import {
  BATCH_KEYS,
  type Batch,
  RUN_KEYS,
  readRunPoints,
  runPointId,
  toBatch,
  toRow,
} from './ledger-point.ts';

/** Runs that are looked at in one request. */
const PAGE = 64;

export async function lastRun(points: Points): Promise<{ storeSeq: number; head: string } | null> {
  const [newest] = await points.first(ofKind('run'), RUN_KEYS, 1, { key: 'store_seq', direction: 'desc' });
  if (newest === undefined) return null;
  const [row] = await rowsOf(points, [newest]);
  return row === undefined ? null : { storeSeq: row.storeSeq, head: row.head };
}

export async function findRun(points: Points, runId: string): Promise<RunRow | null> {
  const run = await readRunPoints(points, runId, RUN_KEYS);
  if (run[0] === undefined) return null;
  return keptRow(run[0]) ?? toRow(run[0], run.map(toBatch));
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
export async function runAt(points: Points, storeSeq: number): Promise<string | null> {
  const [stored] = await points.get([runPointId(storeSeq)], ['run_id']);
  return stored === undefined ? null : String(stored.payload?.run_id);
}

/** Runs that fit every given part of the query, newest first. */
export async function findRuns(points: Points, query: RunQuery): Promise<RunRow[]> {
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
export async function findRunByNonce(points: Points, nonceSha256: string): Promise<string | null> {
  const filter = ofKind(['run', 'batch'], is('nonces', nonceSha256));
  for (const { payload } of await points.first(filter, ['run_id'], PAGE)) {
    const runId = String(payload?.run_id);
    if ((await readRunPoints(points, runId, BATCH_KEYS)).length > 0) return runId;
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

import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import { restoreLine } from '../../ledger/export.ts';
import { requireChained, requireFitting } from '../write-rules.ts';
import type { Points } from './api.ts';
import {
  batchPoint,
  claim,
  contentsOf,
  RUN_KEYS,
  readRunPoints,
  runPoint,
  runPointId,
  toBatch,
  toRow,
} from './ledger-point.ts';

/** See `LedgerStore.createRun`. */
export async function createRunPoint(
  points: Points,
  runId: string,
  storeSeq: number,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  requireChained(runId, null, entries);
  const point = runPoint(storeSeq, entries, null);
  const [taken] = await points.get([runPointId(storeSeq)], ['run_id']);
  if (taken !== undefined) return false;
  if ((await readRunPoints(points, runId, RUN_KEYS)).length > 0) {
    throw new KairosError('INTERNAL', `run ${runId} is there already`);
  }
  return claim(points, point);
}

/** See `LedgerStore.appendEntries`. */
export async function appendEntryPoints(
  points: Points,
  runId: string,
  expectedSeq: number,
  entries: readonly LedgerEntry[],
  seal: Seal | null,
): Promise<boolean> {
  const run = await readRunPoints(points, runId, RUN_KEYS);
  const batches = run.map(toBatch);
  const last = batches.at(-1);
  if (last === undefined || last.end !== expectedSeq) return false;
  requireChained(runId, { seq: last.end - 1, hash: last.head }, entries);
  if (batches.some(({ sealed }) => sealed)) {
    throw new KairosError('INTERNAL', `the ledger of run ${runId} is sealed`);
  }
  const newest = entries.at(-1);
  if (newest === undefined) {
    if (seal === null) return true;
    throw new KairosError('INTERNAL', `the seal of run ${runId} must come with its last entry`);
  }
  if (seal !== null) requireFitting(runId, newest, seal);
  const point = batchPoint(entries, seal);
  if (!(await claim(points, point))) return false;
  const [first] = run;
  if (seal !== null && first !== undefined) {
    // No entry follows a seal, so the row may be stored next to the run. The run is sealed whether or not
    // this is written: a missing row is computed on request.
    const row = toRow(first, [...batches, toBatch(point)]);
    await points
      .setPayload(String(first.id), { closed: true, row: JSON.stringify(row) })
      .catch(() => undefined);
  }
  return true;
}

/** The entries of a run by number, from one on; empty when it is unknown. */
export async function fetchEntries(points: Points, runId: string, from = 0): Promise<LedgerEntry[]> {
  const { entries } = contentsOf(await readRunPoints(points, runId, ['kind', 'first', 'entries']));
  return from === 0 ? entries : entries.slice(from);
}

export async function fetchSeal(points: Points, runId: string): Promise<Seal | null> {
  return contentsOf(await readRunPoints(points, runId, ['kind', 'first', 'seal'])).seal;
}

/** The run's lines as stored, even if another program changed them; its seal last. */
export async function fetchLines(points: Points, runId: string, from = 0): Promise<string[]> {
  const run = await readRunPoints(points, runId, ['kind', 'first', 'entries', 'seal']);
  const entries = run.flatMap(({ payload }) => (payload?.entries ?? []) as unknown[]).slice(from);
  const seals = run.flatMap(({ payload }) => (payload?.seal === undefined ? [] : [payload.seal]));
  return [...entries, ...seals].map((text) => restoreLine(String(text)));
}

/** See `LedgerStore.misnumbered`. */
export async function fetchMisnumbered(points: Points, runId: string): Promise<number[]> {
  const run = await readRunPoints(points, runId, ['kind', 'first', 'entries']);
  return run.flatMap(({ payload }) =>
    ((payload?.entries ?? []) as unknown[])
      .map((text, at) => ({ seq: Number(payload?.first) + at, own: numberIn(text) }))
      .filter(({ seq, own }) => own !== undefined && own !== seq)
      .map(({ seq }) => seq),
  );
}

/** Undefined for what is no JSON any more. */
function numberIn(text: unknown): unknown {
  try {
    return (JSON.parse(String(text)) as { seq?: unknown } | null)?.seq ?? null;
  } catch {
    return undefined;
  }
}

import { KairosError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json.ts';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import { restoreLine } from '../../ledger/line.ts';
import { type RunRow, requireChained, requireFitting } from '../port.ts';
import type { Points } from './api.ts';
import { is, type Known, ofKind, pointId, storable } from './ids.ts';
import {
  batchPoint,
  claim,
  contentsOf,
  fetchRun,
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
  known: Known,
  runId: string,
  storeSeq: number,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  requireChained(runId, null, entries);
  const point = runPoint(storeSeq, entries, null);
  const id = String(point.id);
  const there = await points.first(
    { should: [ofKind('run', is('run_id', runId)), { has_id: [id] }] },
    ['run_id'],
    2,
  );
  if (there.some((run) => run.id === id)) return false;
  if (there.length > 0) throw new KairosError('INTERNAL', `run ${runId} is there already`);
  if (!(await claim(points, point))) return false;
  known.learnEntries(null, storeSeq, entries);
  return true;
}

/** See `LedgerStore.appendEntries`. */
export async function appendEntryPoints(
  points: Points,
  known: Known,
  runId: string,
  expectedSeq: number,
  entries: readonly LedgerEntry[],
  seal: Seal | null,
): Promise<boolean> {
  const end = await endOf(points, known, runId, expectedSeq);
  if (end === null) return false;
  requireChained(runId, { seq: expectedSeq - 1, hash: end.row.head }, entries);
  if (end.sealed) throw new KairosError('INTERNAL', `the ledger of run ${runId} is sealed`);
  const newest = entries.at(-1);
  if (newest === undefined) {
    if (seal === null) return true;
    throw new KairosError('INTERNAL', `the seal of run ${runId} must come with its last entry`);
  }
  if (seal !== null) requireFitting(runId, newest, seal);
  const point = batchPoint(entries, seal);
  if (!(await claim(points, point))) {
    known.ends.delete(runId);
    return false;
  }
  const { storeSeq } = end.row;
  known.learnEntries(end.row, storeSeq, entries);
  if (seal !== null) {
    // No entry follows a seal, so the row may be stored next to the run. The run is sealed whether or not
    // this is written: a missing row is computed on request.
    await points
      .setPayload(runPointId(storeSeq), { closed: true, row: JSON.stringify(known.ends.get(runId)) })
      .catch(() => undefined);
  }
  return true;
}

/**
 * The row of a run that ends before this entry number; null when it ends elsewhere. Where this process has seen it end
 * there, it asks nothing: ledgers only grow, so the place of the next point is free or another writer's.
 */
async function endOf(
  points: Points,
  known: Known,
  runId: string,
  expectedSeq: number,
): Promise<{ row: RunRow; sealed: boolean } | null> {
  const seen = known.ends.get(runId);
  if (seen?.entryCount === expectedSeq && seen.sealedAt === null) return { row: seen, sealed: false };
  const run = await readRunPoints(points, runId, RUN_KEYS);
  const batches = run.map(toBatch);
  if (run[0] === undefined || run[0].payload?.tombstone !== undefined || batches.at(-1)?.end !== expectedSeq)
    return null;
  return { row: toRow(run[0], batches), sealed: batches.some(({ sealed }) => sealed) };
}

/** The entries of a run by number, from one on; empty when it is unknown. */
export async function fetchEntries(
  points: Points,
  known: Known,
  run: string | RunRow,
  from = 0,
): Promise<LedgerEntry[]> {
  const runId = typeof run === 'string' ? run : run.runId;
  const entries =
    (typeof run === 'string' ? undefined : known.entries.get(run)) ??
    contentsOf(await readRunPoints(points, runId, ['kind', 'first', 'entries'])).entries;
  return from === 0 ? entries : entries.slice(from);
}

/** See `LedgerStore.addNote`. */
export async function addNotePoint(
  points: Points,
  known: Known,
  runId: string,
  note: string,
): Promise<boolean> {
  const row = await fetchRun(points, known, runId);
  if (row?.sealedAt == null) return false;
  await insertNotes(points, runId, [note]);
  return true;
}

/** Keeps the notes that are missing, after the others. */
export async function insertNotes(points: Points, runId: string, notes: readonly string[]): Promise<void> {
  const there = (await fetchNotes(points, runId)).length;
  for (const [at, note] of notes.entries()) {
    const payload = { kind: 'note', run_id: storable(runId), note, order: there + at };
    await points.insert([{ id: pointId('note', runId, note), vector: {}, payload }]);
  }
}

/** Notes that were kept at the same time are in the order of their times. */
export async function fetchNotes(points: Points, runId: string): Promise<string[]> {
  const found: { order: number; note: string }[] = [];
  for await (const { payload } of points.all(ofKind('note', is('run_id', runId)), ['note', 'order']))
    found.push({ order: Number(payload?.order), note: String(payload?.note) });
  return found.sort((a, b) => a.order - b.order || (a.note < b.note ? -1 : 1)).map(({ note }) => note);
}

/**
 * See `LedgerStore.pruneRun`. The tombstone comes first and makes the run a pruned one; what is removed after it no longer
 * counts, so a prune that breaks off has done everything that shows.
 */
export async function pruneRunPoints(
  points: Points,
  known: Known,
  runId: string,
  head: string,
  tombstone: string,
): Promise<boolean> {
  const row = await fetchRun(points, known, runId);
  if (row === null || row.sealedAt === null || row.head !== head || row.tombstone !== undefined) return false;
  const stored = await readRunPoints(points, runId, ['kind', 'first']);
  await points.setPayload(runPointId(row.storeSeq), {
    tombstone,
    closed: true,
    row: JSON.stringify({ ...row, tombstone }),
    entries: [],
    nonces: [],
    seal: null,
  });
  known.forgetRun(runId);
  await points.remove(stored.filter(({ payload }) => payload?.kind === 'batch').map(({ id }) => String(id)));
  return true;
}

export async function fetchSeal(points: Points, runId: string): Promise<Seal | null> {
  return contentsOf(await readRunPoints(points, runId, ['kind', 'first', 'seal'])).seal;
}

/** The run's lines as stored, even if another program changed them; its seal last. */
export async function fetchLines(points: Points, runId: string, from = 0): Promise<string[]> {
  const run = await readRunPoints(points, runId, ['kind', 'first', 'entries', 'seal']);
  const entries = run.flatMap(({ payload }) => (payload?.entries ?? []) as unknown[]).slice(from);
  const seals = run.flatMap(({ payload }) => (payload?.seal == null ? [] : [payload.seal]));
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

/** Returns undefined for invalid JSON. */
function numberIn(text: unknown): unknown {
  const value = jsonOf(String(text));
  return value === undefined ? undefined : ((value as { seq?: unknown } | null)?.seq ?? null);
}

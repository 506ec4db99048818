import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import { restoreLine } from '../../ledger/line.ts';
import { type RunQuery, type RunRow, requireChained } from '../port.ts';
import { noncesOf, runFacts, sealFacts } from '../run-row.ts';
import { type Connection, readStored, type SqlRow, type SqlValue, writeStored } from './driver.ts';

/** Makes a run; to be run in one write transaction. See `LedgerStore.createRun`. */
export function createRun(
  connection: Connection,
  runId: string,
  storeSeq: number,
  entries: readonly LedgerEntry[],
): boolean {
  const taken = connection.prepare('SELECT 1 FROM run WHERE store_seq = ?').get(storeSeq);
  if (taken !== undefined) return false;
  requireChained(runId, null, entries);
  const { space, chainId, digest, slug, title, actor, session, begunAt } = runFacts(entries);
  connection
    .prepare(
      `INSERT INTO run (store_seq, run_id, space, chain_id, digest, slug, title, actor, session, begun_at, head, entry_count)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)`,
    )
    .run(storeSeq, runId, space, chainId, digest, slug, title, actor, session, begunAt);
  insertEntries(connection, runId, entries);
  return true;
}

/** Appends by compare-and-swap; to be run in one write transaction. See `LedgerStore.appendEntries`. */
export function appendEntries(
  connection: Connection,
  runId: string,
  expectedSeq: number,
  entries: readonly LedgerEntry[],
  seal?: Seal,
): boolean {
  const run = connection.prepare('SELECT head, entry_count FROM run WHERE run_id = ?').get(runId);
  if (run === undefined || Number(run.entry_count) !== expectedSeq) return false;
  requireChained(runId, { seq: expectedSeq - 1, hash: String(run.head) }, entries);
  insertEntries(connection, runId, entries);
  if (seal !== undefined) putSeal(connection, runId, seal);
  return true;
}

/** Seals the current run. Throws INTERNAL when the seal is for other entries. */
export function putSeal(connection: Connection, runId: string, seal: Seal): void {
  const run = connection.prepare('SELECT head, entry_count FROM run WHERE run_id = ?').get(runId);
  if (seal.seal.head !== run?.head || seal.seal.count !== Number(run.entry_count)) {
    throw new KairosError('INTERNAL', `the seal does not fit run ${runId}`);
  }
  connection.prepare('INSERT INTO seal (run_id, seal) VALUES (?, ?)').run(runId, JSON.stringify(seal));
}

/** The entries of a run by number, from one on; empty when it is unknown. Throws STORE_DAMAGED. */
export function readEntries(connection: Connection, runId: string, from = 0): LedgerEntry[] {
  return connection
    .prepare('SELECT seq, entry FROM entry WHERE run_id = ? AND seq >= ? ORDER BY seq')
    .all(runId, from)
    .map(({ seq, entry }) => toEntry(runId, Number(seq), String(entry)));
}

/** Throws STORE_DAMAGED for invalid JSON, or for an entry that is stored under another number. */
function toEntry(runId: string, seq: number, text: string): LedgerEntry {
  const name = `entry ${seq} of run ${runId}`;
  const entry = readStored<LedgerEntry | null>(text, name);
  if (entry?.seq === seq) return entry;
  throw new KairosError(
    'STORE_DAMAGED',
    `${name} has been changed in the store: its text is of another number`,
    { hint: 'Restore the store from a backup; its other content can still be exported and verified.' },
  );
}

export function readSeal(connection: Connection, runId: string): Seal | null {
  const row = connection.prepare('SELECT seal FROM seal WHERE run_id = ?').get(runId);
  return row === undefined ? null : readStored<Seal>(String(row.seal), `the seal of run ${runId}`);
}

/**
 * The lines of an export; a row with invalid JSON becomes a line unchanged. See
 * `LedgerStore.readLines`.
 */
export function readLines(connection: Connection, runId: string, from = 0): string[] {
  // As bytes: for a text, the library returns only the part before a NUL.
  const rows = [
    ...connection
      .prepare('SELECT CAST(entry AS BLOB) AS bytes FROM entry WHERE run_id = ? AND seq >= ? ORDER BY seq')
      .all(runId, from),
    ...connection.prepare('SELECT CAST(seal AS BLOB) AS bytes FROM seal WHERE run_id = ?').all(runId),
  ];
  return rows.map(({ bytes }) => restoreLine(Buffer.from(bytes as Uint8Array).toString()));
}

/** See `LedgerStore.misnumbered`. Invalid JSON has no number. */
export function misnumbered(connection: Connection, runId: string): number[] {
  return connection
    .prepare(
      `SELECT seq FROM entry WHERE run_id = ? AND json_valid(entry) AND json_extract(entry, '$.seq') IS NOT seq
       ORDER BY seq`,
    )
    .all(runId)
    .map(({ seq }) => Number(seq));
}

/** To be run in one write transaction. See `LedgerStore.addNote`. */
export function addNote(connection: Connection, runId: string, note: string): boolean {
  if (findRun(connection, runId)?.sealedAt == null) return false;
  connection.prepare('INSERT INTO note (run_id, note) VALUES (?, ?)').run(runId, note);
  return true;
}

export function readNotes(connection: Connection, runId: string): string[] {
  return connection
    .prepare('SELECT note FROM note WHERE run_id = ? ORDER BY id')
    .all(runId)
    .map(({ note }) => String(note));
}

/** To be run in one write transaction. See `LedgerStore.pruneRun`. */
export function pruneRun(connection: Connection, runId: string, head: string, tombstone: string): boolean {
  const run = findRun(connection, runId);
  if (run === null || run.sealedAt === null || run.tombstone !== undefined || run.head !== head) return false;
  connection.prepare('UPDATE run SET tombstone = ? WHERE run_id = ?').run(tombstone, runId);
  for (const table of ['entry', 'seal', 'nonce'])
    connection.prepare(`DELETE FROM ${table} WHERE run_id = ?`).run(runId);
  return true;
}

/** A pruned run as a row only; to be run in one write transaction. False when its number is used. */
export function insertPruned(connection: Connection, row: RunRow): boolean {
  const taken = connection.prepare('SELECT 1 FROM run WHERE store_seq = ?').get(row.storeSeq);
  if (taken !== undefined) return false;
  const columns = [
    row.storeSeq,
    row.runId,
    row.space,
    row.chainId,
    row.digest,
    row.slug,
    row.title,
    row.actor,
  ];
  connection
    .prepare(
      `INSERT INTO run (store_seq, run_id, space, chain_id, digest, slug, title, actor, session, begun_at, sealed_at, outcome,
         head, entry_count, tombstone)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...columns,
      row.session,
      row.begunAt,
      row.sealedAt,
      row.outcome,
      row.head,
      row.entryCount,
      row.tombstone ?? null,
    );
  return true;
}

function insertEntries(connection: Connection, runId: string, entries: readonly LedgerEntry[]): void {
  const insert = connection.prepare('INSERT INTO entry (run_id, seq, entry) VALUES (?, ?, ?)');
  const show = connection.prepare('INSERT INTO nonce (sha256, run_id) VALUES (?, ?) ON CONFLICT DO NOTHING');
  for (const entry of entries) {
    insert.run(runId, entry.seq, writeStored(entry));
    for (const nonce of noncesOf(entry)) show.run(nonce, runId);
  }
  const last = entries.at(-1);
  if (last === undefined) return;
  const { sealedAt, outcome } = sealFacts(entries);
  connection
    .prepare(
      `UPDATE run SET head = ?, entry_count = ?, sealed_at = coalesce(?, sealed_at), outcome = coalesce(?, outcome)
       WHERE run_id = ?`,
    )
    .run(last.hash, last.seq + 1, sealedAt, outcome, runId);
}

export function lastRun(connection: Connection): { storeSeq: number; head: string } | null {
  const row = connection.prepare('SELECT store_seq, head FROM run ORDER BY store_seq DESC LIMIT 1').get();
  return row === undefined ? null : { storeSeq: Number(row.store_seq), head: String(row.head) };
}

export function findRun(connection: Connection, runId: string): RunRow | null {
  const row = connection.prepare('SELECT * FROM run WHERE run_id = ?').get(runId);
  return row === undefined ? null : toRow(row);
}

/** Runs that fit every given part of the query, newest first. */
export function findRuns(connection: Connection, query: RunQuery): RunRow[] {
  const where = ['space IN (SELECT value FROM json_each(?))'];
  const values: SqlValue[] = [JSON.stringify(query.spaces)];
  for (const [column, value] of [
    ['chain_id', query.chainId],
    ['actor', query.actor],
    ['session', query.session],
  ] as const) {
    if (value === undefined) continue;
    where.push(`${column} = ?`);
    values.push(value);
  }
  if (query.idPrefix !== undefined) {
    where.push('substr(run_id, 1, ?) = ?');
    values.push(query.idPrefix.length, query.idPrefix);
  }
  if (query.open !== undefined) where.push(query.open ? 'sealed_at IS NULL' : 'sealed_at IS NOT NULL');
  const sql = `SELECT * FROM run WHERE ${where.join(' AND ')} ORDER BY store_seq DESC LIMIT ?`;
  return connection
    .prepare(sql)
    .all(...values, query.limit ?? -1)
    .map(toRow);
}

/** The run that showed a nonce. */
export function findRunByNonce(connection: Connection, nonceSha256: string): string | null {
  const row = connection.prepare('SELECT run_id FROM nonce WHERE sha256 = ?').get(nonceSha256);
  return row === undefined ? null : String(row.run_id);
}

function toRow(row: SqlRow): RunRow {
  return {
    runId: String(row.run_id),
    storeSeq: Number(row.store_seq),
    space: String(row.space),
    chainId: String(row.chain_id),
    digest: String(row.digest),
    slug: String(row.slug),
    title: String(row.title),
    actor: String(row.actor),
    session: row.session === null ? null : String(row.session),
    begunAt: String(row.begun_at),
    sealedAt: row.sealed_at === null ? null : String(row.sealed_at),
    outcome: row.outcome === null ? null : row.outcome === 'success' ? 'success' : 'failure',
    head: String(row.head),
    entryCount: Number(row.entry_count),
    ...(row.tombstone === null ? {} : { tombstone: String(row.tombstone) }),
  };
}

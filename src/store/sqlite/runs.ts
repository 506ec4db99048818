import type { RunQuery, RunRow } from '../port.ts';
import type { Connection, SqlRow, SqlValue } from './driver.ts';

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
  };
}

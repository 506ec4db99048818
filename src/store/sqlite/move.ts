import type { ChainRecord, RunRecord } from '../port.ts';
import { revisionQualities } from './chains.ts';
import type { Connection } from './driver.ts';
import { createRun, putSeal, readEntries, readSeal } from './ledger.ts';
import { chainRow, head, insertRevision, requireFreeSlug, revisions } from './put-revision.ts';
import { indexChain } from './search-index.ts';

/** All that is kept of a chain; null when that is nothing. */
export function chainRecord(connection: Connection, chainId: string): ChainRecord | null {
  const kept = revisions(connection, chainId).sort(inOrder);
  const [first] = kept;
  if (first === undefined) return null;
  return {
    chainId,
    space: first.space,
    head: head(connection, chainId)?.number ?? null,
    revisions: kept,
    quality: revisionQualities(connection, chainId),
  };
}

/** The chain whose id comes after this text. */
export function nextChain(connection: Connection, after: string): ChainRecord | null {
  const row = connection
    .prepare(
      `SELECT chain_id FROM chain WHERE chain_id > ? AND EXISTS (SELECT 1 FROM revision WHERE chain = chain.id)
       ORDER BY chain_id LIMIT 1`,
    )
    .get(after);
  return row === undefined ? null : chainRecord(connection, String(row.chain_id));
}

/** The run whose number comes after this one. */
export function nextRun(connection: Connection, after: number): RunRecord | null {
  const row = connection
    .prepare('SELECT run_id, store_seq FROM run WHERE store_seq > ? ORDER BY store_seq LIMIT 1')
    .get(after);
  if (row === undefined) return null;
  const runId = String(row.run_id);
  return {
    runId,
    storeSeq: Number(row.store_seq),
    entries: readEntries(connection, runId),
    seal: readSeal(connection, runId),
  };
}

export function runAt(connection: Connection, storeSeq: number): string | null {
  const row = connection.prepare('SELECT run_id FROM run WHERE store_seq = ?').get(storeSeq);
  return row === undefined ? null : String(row.run_id);
}

/** To be run in one write transaction. See `MovableStore.restoreChain`. */
export function restoreChain(connection: Connection, record: ChainRecord): boolean {
  if (revisions(connection, record.chainId).length > 0) return false;
  const live = record.revisions.find(({ number }) => number > 0 && number === record.head);
  const named = live ?? record.revisions.at(-1);
  if (named === undefined) return false;
  const { id } = chainRow(connection, named);
  if (live !== undefined) requireFreeSlug(connection, live);
  for (const revision of record.revisions) {
    const row = insertRevision(connection, id, revision, revision.number);
    if (revision !== live) continue;
    connection.prepare('UPDATE chain SET head_id = ?, slug = ? WHERE id = ?').run(row, live.content.slug, id);
    indexChain(connection, id, live.content);
  }
  const rated = connection.prepare(
    // What was counted here stays. As text: one library binds a number next to zero, which sums of bonuses come to, as zero.
    'INSERT INTO quality (chain_id, digest, runs, successes, bonus) VALUES (?, ?, ?, ?, CAST(? AS REAL)) ON CONFLICT DO NOTHING',
  );
  for (const { digest, runs, successes, bonus } of record.quality) {
    rated.run(record.chainId, digest, runs, successes, String(bonus));
  }
  return true;
}

/** To be run in one write transaction. See `MovableStore.restoreRun`. */
export function restoreRun(connection: Connection, { runId, storeSeq, entries, seal }: RunRecord): boolean {
  const known = connection.prepare('SELECT 1 FROM run WHERE run_id = ?').get(runId);
  if (known !== undefined || !createRun(connection, runId, storeSeq, entries)) return false;
  if (seal !== null) putSeal(connection, runId, seal);
  return true;
}

function inOrder(a: { number: number; digest: string }, b: { number: number; digest: string }): number {
  return a.number - b.number || (a.digest < b.digest ? -1 : 1);
}

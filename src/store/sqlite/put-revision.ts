import { KairosError } from '../../base/errors.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { HeadVectors } from '../../search/vectors.ts';
import type { ChainRecord, NewRevision, Revision, RunRecord } from '../port.ts';
import { prunedRow } from '../run-row.ts';
import { indexChain, revisionQualities, spaceId, summarise } from './chains.ts';
import { type Connection, readStored, type SqlRow, type SqlValue } from './driver.ts';
import { createRun, findRun, insertPruned, putSeal, readEntries, readNotes, readSeal } from './ledger.ts';
import { putVectors, vectorModelRow } from './vectors.ts';

/** Keeps a revision; to be run in one write transaction. See `ChainStore.putRevision`. */
export function putRevision(
  connection: Connection,
  revision: NewRevision,
  expectedHead: string | null,
  vectors?: HeadVectors,
): 'stored' | 'unchanged' | 'conflict' {
  const chain = chainRow(connection, revision);
  if (!revision.listed) {
    if (isKept(connection, chain.id, revision.digest)) return 'unchanged';
    insertRevision(connection, chain.id, revision, 0);
    return 'stored';
  }
  if (chain.headDigest === revision.digest) return 'unchanged';
  if (chain.headDigest !== expectedHead) return 'conflict';
  requireFreeSlug(connection, revision);
  const id = insertRevision(connection, chain.id, revision, nextNumber(connection, chain.id));
  connection
    .prepare('UPDATE chain SET head_id = ?, slug = ? WHERE id = ?')
    .run(id, revision.content.slug, chain.id);
  indexChain(connection, chain.id, revision.content);
  if (vectors !== undefined && vectorModelRow(connection, vectors.model) !== null) {
    putVectors(connection, vectors.model, [{ ...revision, vectors: vectors.vectors }]);
  }
  return 'stored';
}

/** Row of a chain, made when it is new. Throws INTERNAL when the chain is another space's. */
function chainRow(
  connection: Connection,
  revision: Pick<Revision, 'chainId' | 'space' | 'content'>,
): { id: number; headDigest: string | null } {
  const space = spaceId(connection, revision.space);
  connection
    .prepare('INSERT INTO chain (chain_id, space_id, slug) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(revision.chainId, space, revision.content.slug);
  const row = connection
    .prepare(
      `SELECT chain.id, chain.space_id, revision.digest FROM chain
       LEFT JOIN revision ON revision.id = chain.head_id WHERE chain.chain_id = ?`,
    )
    .get(revision.chainId);
  if (Number(row?.space_id) !== space) {
    throw new KairosError(
      'INTERNAL',
      `chain ${revision.chainId} belongs to another space than ${revision.space}`,
    );
  }
  return { id: Number(row?.id), headDigest: typeof row?.digest === 'string' ? row.digest : null };
}

function isKept(connection: Connection, chain: number, digest: string): boolean {
  const found = connection
    .prepare('SELECT 1 FROM revision WHERE chain = ? AND digest = ?')
    .get(chain, digest);
  return found !== undefined;
}

/** Chain ids come from space and slug, so this only guards against a caller with its own ids. */
function requireFreeSlug(
  connection: Connection,
  { space, content, chainId }: Pick<Revision, 'chainId' | 'space' | 'content'>,
): void {
  const holder = headBySlug(connection, space, content.slug);
  if (holder === null || holder.chainId === chainId) return;
  throw new KairosError('DUPLICATE_CHAIN', `the slug ${content.slug} belongs to chain ${holder.chainId}`, {
    hint: 'Compare with kairos_dump first; then choose another slug.',
  });
}

function nextNumber(connection: Connection, chain: number): number {
  const sql = 'SELECT coalesce(max(number), 0) + 1 AS next FROM revision WHERE chain = ?';
  return Number(connection.prepare(sql).get(chain)?.next);
}

/** Adds a row under a number, and the names of its steps. */
function insertRevision(
  connection: Connection,
  chain: number,
  revision: Omit<Revision, 'number'>,
  number: number,
): number {
  const { chainId, digest, content, author, llmModelId, createdAt, weakened } = revision;
  const row = connection
    .prepare(
      `INSERT INTO revision (chain, number, digest, content, summary, author, llm_model_id, created_at, weakened)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    )
    .get(
      chain,
      number,
      digest,
      JSON.stringify(content),
      JSON.stringify(summarise(content)),
      author,
      llmModelId,
      createdAt,
      weakened,
    );
  const step = connection.prepare(
    'INSERT INTO step_uri (uuid, chain, step) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  for (let index = 1; index <= content.steps.length; index += 1)
    step.run(stepUuid(chainId, index), chain, index);
  return Number(row?.id);
}

const SELECT = `
  SELECT revision.*, chain.chain_id, space.name AS space
  FROM revision JOIN chain ON chain.id = revision.chain JOIN space ON space.id = chain.space_id`;

/** The newest listed revision of a chain; null when it is unknown or deleted. */
export function head(connection: Connection, chainId: string): Revision | null {
  return one(connection, `${SELECT} WHERE chain.chain_id = ? AND chain.head_id = revision.id`, chainId);
}

export function headBySlug(connection: Connection, space: string, slug: string): Revision | null {
  const where = 'WHERE space.name = ? AND chain.slug = ? AND chain.head_id = revision.id';
  return one(connection, `${SELECT} ${where}`, space, slug);
}

/** A content that was kept; the last listing of it, if it was ever listed. */
export function revisionByDigest(connection: Connection, chainId: string, digest: string): Revision | null {
  const where = 'WHERE chain.chain_id = ? AND revision.digest = ? ORDER BY revision.number DESC LIMIT 1';
  return one(connection, `${SELECT} ${where}`, chainId, digest);
}

/** Everything that was ever kept of a chain: unlisted ones first, then by number. */
export function revisions(connection: Connection, chainId: string): Revision[] {
  const order = 'ORDER BY revision.number, revision.id';
  return connection.prepare(`${SELECT} WHERE chain.chain_id = ? ${order}`).all(chainId).map(toRevision);
}

function one(connection: Connection, sql: string, ...values: SqlValue[]): Revision | null {
  const row = connection.prepare(sql).get(...values);
  return row === undefined ? null : toRevision(row);
}

function toRevision(row: SqlRow): Revision {
  return {
    digest: String(row.digest),
    chainId: String(row.chain_id),
    space: String(row.space),
    number: Number(row.number),
    content: readStored<ChainContent>(String(row.content), `the content of revision ${String(row.digest)}`),
    author: String(row.author),
    llmModelId: row.llm_model_id === null ? null : String(row.llm_model_id),
    createdAt: String(row.created_at),
    weakened: row.weakened === null ? null : String(row.weakened),
  };
}

/** Everything that is kept of a chain; null when that is nothing. */
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
  const notes = readNotes(connection, runId);
  const tombstone = findRun(connection, runId)?.tombstone;
  return {
    runId,
    storeSeq: Number(row.store_seq),
    entries: readEntries(connection, runId),
    seal: readSeal(connection, runId),
    ...(tombstone === undefined ? {} : { tombstone }),
    ...(notes.length === 0 ? {} : { notes }),
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
export function restoreRun(connection: Connection, record: RunRecord): boolean {
  const { runId, storeSeq, entries, seal, tombstone, notes = [] } = record;
  const known = connection.prepare('SELECT 1 FROM run WHERE run_id = ?').get(runId);
  if (known !== undefined) return false;
  const made =
    tombstone === undefined
      ? createRun(connection, runId, storeSeq, entries)
      : insertPruned(connection, prunedRow(runId, storeSeq, tombstone));
  if (!made) return false;
  if (seal !== null) putSeal(connection, runId, seal);
  for (const note of notes)
    connection.prepare('INSERT INTO note (run_id, note) VALUES (?, ?)').run(runId, note);
  return true;
}

function inOrder(a: { number: number; digest: string }, b: { number: number; digest: string }): number {
  return a.number - b.number || (a.digest < b.digest ? -1 : 1);
}

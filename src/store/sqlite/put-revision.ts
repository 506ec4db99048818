import { KairosError } from '../../base/errors.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { NewRevision, Revision } from '../port.ts';
import { spaceId, summarise } from './chains.ts';
import type { Connection, SqlRow, SqlValue } from './driver.ts';
import { indexChain } from './search-index.ts';
import { readStored } from './stored-json.ts';

/** Keeps a revision; to be run in one write transaction. See `ChainStore.putRevision`. */
export function putRevision(
  connection: Connection,
  revision: NewRevision,
  expectedHead: string | null,
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
  return 'stored';
}

/** Row of a chain, made when it is new. Throws INTERNAL when the chain is another space's. */
export function chainRow(
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
export function requireFreeSlug(
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
export function insertRevision(
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

/** All that was ever kept of a chain: unlisted ones first, then by number. */
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

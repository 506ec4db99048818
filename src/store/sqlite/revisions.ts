import type { ChainContent } from '../../protocol/model.ts';
import type { Revision } from '../port.ts';
import type { Connection, SqlRow, SqlValue } from './driver.ts';
import { readStored } from './stored-json.ts';

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

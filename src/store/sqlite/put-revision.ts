import { KairosError } from '../../base/errors.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { NewRevision, Revision } from '../port.ts';
import { summarise } from './chains.ts';
import type { Connection } from './driver.ts';
import { headBySlug } from './revisions.ts';
import { indexChain } from './search-index.ts';
import { spaceId } from './spaces.ts';

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

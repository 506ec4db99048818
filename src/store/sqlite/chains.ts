import type { ChainContent } from '../../protocol/model.ts';
import type { ChainSummary } from '../../search/classify.ts';
import type { Quality } from '../../search/quality.ts';
import type { Connection, SqlRow } from './driver.ts';
import { unindexChain } from './search-index.ts';
import { readStored } from './stored-json.ts';

const SELECT = `
  SELECT chain.id, chain.chain_id, space.name AS space, revision.digest, revision.number, revision.summary,
         revision.created_at
  FROM chain JOIN space ON space.id = chain.space_id JOIN revision ON revision.id = chain.head_id`;

/** Live chains of the spaces, by slug, then chain id. */
export function listChains(connection: Connection, spaces: readonly string[]): ChainSummary[] {
  return connection
    .prepare(
      `${SELECT} WHERE space.name IN (SELECT value FROM json_each(?)) ORDER BY chain.slug, chain.chain_id`,
    )
    .all(JSON.stringify(spaces))
    .map(toSummary);
}

/** See `ChainStore.chainsAfter`. */
export function chainsAfter(
  connection: Connection,
  space: string,
  after: string | null,
  limit: number,
): ChainSummary[] {
  return connection
    .prepare(`${SELECT} WHERE space.name = ? AND chain.chain_id > ? ORDER BY chain.chain_id LIMIT ?`)
    .all(space, after ?? '', limit)
    .map(toSummary);
}

/** Summary of a live chain by its row id; null when it has no head any more. */
export function summaryOf(connection: Connection, id: number): ChainSummary | null {
  const row = connection.prepare(`${SELECT} WHERE chain.id = ?`).get(id);
  return row === undefined ? null : toSummary(row);
}

/** Unlists a chain; revisions, steps' names and runs stay. To be run in one write transaction. */
export function deleteChain(connection: Connection, chainId: string): boolean {
  const row = connection
    .prepare('SELECT id FROM chain WHERE chain_id = ? AND head_id IS NOT NULL')
    .get(chainId);
  if (row === undefined) return false;
  const id = Number(row.id);
  unindexChain(connection, id);
  connection.prepare('UPDATE chain SET head_id = NULL WHERE id = ?').run(id);
  return true;
}

/** The chain and 1-based step of any UUID ever returned. */
export function resolveStep(connection: Connection, uuid: string): { chainId: string; index: number } | null {
  const row = connection
    .prepare('SELECT chain.chain_id, step FROM step_uri JOIN chain ON chain.id = chain WHERE uuid = ?')
    .get(uuid);
  return row === undefined ? null : { chainId: String(row.chain_id), index: Number(row.step) };
}

/**
 * The part of a summary that comes from the content; stored separately, so that a list doesn't read all
 * contents.
 */
type ContentSummary = Pick<ChainSummary, 'slug' | 'title' | 'version' | 'tags' | 'stepCount'>;

export function summarise({ slug, title, version, tags, steps }: ChainContent): ContentSummary {
  return { slug, title, version, tags, stepCount: steps.length };
}

function toSummary(row: SqlRow): ChainSummary {
  return {
    chainId: String(row.chain_id),
    space: String(row.space),
    ...readStored<ContentSummary>(
      String(row.summary),
      `the summary of chain ${String(row.chain_id)}`,
      readSummary,
    ),
    digest: String(row.digest),
    revision: Number(row.number),
    updatedAt: String(row.created_at),
  };
}

/** A list reads many, once each: they are not worth remembering. */
function readSummary(text: string): ContentSummary {
  const { slug, title, version, tags, stepCount } = JSON.parse(text) as ContentSummary;
  const texts: unknown[] = [slug, title, version ?? '', ...tags];
  if (texts.some((value) => typeof value !== 'string')) throw new TypeError('not a summary');
  return { slug, title, version, tags, stepCount: Number(stepCount) };
}

/** Row id of a space, made when it is new. */
export function spaceId(connection: Connection, name: string): number {
  connection.prepare('INSERT INTO space (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
  return Number(connection.prepare('SELECT id FROM space WHERE name = ?').get(name)?.id);
}

/** Row ids of those spaces that exist, each once. */
export function knownSpaceIds(connection: Connection, names: readonly string[]): number[] {
  return [...new Set(names)]
    .map((name) => connection.prepare('SELECT id FROM space WHERE name = ?').get(name))
    .filter((row): row is SqlRow => row !== undefined)
    .map((row) => Number(row.id));
}

/** Spaces that contain a chain, by name. */
export function listSpaces(connection: Connection): { name: string; chainCount: number }[] {
  const rows = connection
    .prepare(
      `SELECT space.name, count(*) AS count FROM chain JOIN space ON space.id = chain.space_id
       WHERE chain.head_id IS NOT NULL GROUP BY space.id ORDER BY space.name`,
    )
    .all();
  return rows.map((row) => ({ name: String(row.name), chainCount: Number(row.count) }));
}

/** Counts one attested run on a revision; `bonus` is clamped to -1..1. To be run in one write transaction. */
export function rate(
  connection: Connection,
  chainId: string,
  digest: string,
  outcome: 'success' | 'failure',
  bonus: number,
): void {
  connection
    .prepare(
      `INSERT INTO quality (chain_id, digest, runs, successes, bonus) VALUES (?, ?, 1, ?, CAST(? AS REAL))
       ON CONFLICT DO UPDATE SET runs = runs + 1, successes = successes + excluded.successes, bonus = bonus + excluded.bonus`,
    )
    .run(chainId, digest, outcome === 'success' ? 1 : 0, String(Math.max(-1, Math.min(1, bonus))));
}

/** Outcomes of all runs of a chain, for every revision. */
export function quality(connection: Connection, chainId: string): Quality {
  const columns = 'sum(runs) AS runs, sum(successes) AS successes, sum(bonus) AS bonus';
  return toQuality(connection.prepare(`SELECT ${columns} FROM quality WHERE chain_id = ?`).get(chainId));
}

/** The counts of each revision of a chain that was ever rated, by digest. */
export function revisionQualities(connection: Connection, chainId: string): (Quality & { digest: string })[] {
  return connection
    .prepare('SELECT digest, runs, successes, bonus FROM quality WHERE chain_id = ? ORDER BY digest')
    .all(chainId)
    .map((row) => ({ digest: String(row.digest), ...toQuality(row) }));
}

/** The counts in a row, which are null or missing where nothing was ever rated. */
export function toQuality(row: SqlRow | undefined): Quality {
  return {
    runs: Number(row?.runs ?? 0),
    successes: Number(row?.successes ?? 0),
    bonus: Number(row?.bonus ?? 0),
  };
}

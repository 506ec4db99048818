import { KairosError } from '../../base/errors.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { ChainSummary } from '../../search/classify.ts';
import { allCounts, SEARCH_FORMAT, type SearchDocument, toSearchDocument } from '../../search/document.ts';
import type { Quality } from '../../search/rank.ts';
import { allowsSlip, slipKeys } from '../../search/resolve.ts';
import { type Connection, readStored, type SqlRow, writeTransaction } from './driver.ts';

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
  // The plus keeps SQLite from reading and sorting the whole space for each page: it reads in the order of the key instead.
  return connection
    .prepare(`${SELECT} WHERE +space.name = ? AND chain.chain_id > ? ORDER BY chain.chain_id LIMIT ?`)
    .all(space, after ?? '', limit)
    .map(toSummary);
}

/** Returns the summary of a chain by its row id. Null when the chain was deleted. */
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

/** A list reads many, once each: they are not cached. */
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

/** Replaces a chain's content in the search tables; must run in a write transaction. */
export function indexChain(connection: Connection, chain: number, content: ChainContent): void {
  requireFormat(connection);
  unindexChain(connection, chain);
  const document = toSearchDocument(content);
  const counts = allCounts(document);
  const space = Number(connection.prepare('SELECT space_id FROM chain WHERE id = ?').get(chain)?.space_id);
  connection
    .prepare('INSERT INTO search_document (chain, document) VALUES (?, ?)')
    .run(chain, JSON.stringify(document));
  connection
    .prepare('INSERT INTO search_text (rowid, space, name, summary, body) VALUES (?, ?, ?, ?, ?)')
    .run(
      chain,
      spaceToken(space),
      ...[0, 1, 2].map((field) =>
        counts.map(([stem, numbers]) => `${stem} `.repeat(numbers[field] ?? 0)).join(''),
      ),
    );
  const phrase = connection.prepare(
    'INSERT INTO search_phrase (phrase, chain) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  for (const key of phraseKeys(document)) phrase.run(key, chain);
  const term = connection.prepare(
    `INSERT INTO search_term (space_id, term, chains) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET chains = chains + 1`,
  );
  for (const [stem] of counts) term.run(space, stem);
  indexSlips(connection, document);
}

/** Removes a chain from the search tables; must run in a write transaction. */
function unindexChain(connection: Connection, chain: number): void {
  const row = connection.prepare('SELECT document FROM search_document WHERE chain = ?').get(chain);
  if (row === undefined) return;
  const document = JSON.parse(String(row.document)) as SearchDocument;
  const space = Number(connection.prepare('SELECT space_id FROM chain WHERE id = ?').get(chain)?.space_id);
  const fewer = connection.prepare(
    'UPDATE search_term SET chains = chains - 1 WHERE space_id = ? AND term = ?',
  );
  const none = connection.prepare('DELETE FROM search_term WHERE space_id = ? AND term = ? AND chains = 0');
  for (const [stem] of allCounts(document)) {
    fewer.run(space, stem);
    none.run(space, stem);
  }
  const phrase = connection.prepare('DELETE FROM search_phrase WHERE phrase = ? AND chain = ?');
  for (const key of phraseKeys(document)) phrase.run(key, chain);
  connection.prepare('DELETE FROM search_text WHERE rowid = ?').run(chain);
  connection.prepare('DELETE FROM search_document WHERE chain = ?').run(chain);
}

const DERIVED = ['search_document', 'search_phrase', 'search_term', 'search_slip'];

/** Indexes everything again when this build makes words differently than the one that wrote the file. */
export function refreshIndex(connection: Connection): void {
  if (indexFormat(connection) === SEARCH_FORMAT) return;
  writeTransaction(connection, () => {
    if (indexFormat(connection) === SEARCH_FORMAT) return;
    // The first format kept vectors in another form, and they can all be made again.
    const older = indexFormat(connection) === 1 ? ['vector', 'vector_model'] : [];
    for (const table of [...DERIVED, ...older]) {
      connection.exec(`DELETE FROM ${table}`);
    }
    connection.exec("INSERT INTO search_text (search_text) VALUES ('delete-all')");
    connection
      .prepare(
        'INSERT INTO search_state (only, format) VALUES (1, ?) ON CONFLICT DO UPDATE SET format = excluded.format',
      )
      .run(SEARCH_FORMAT);
    const chains = connection
      .prepare('SELECT chain.id, content FROM chain JOIN revision ON revision.id = chain.head_id')
      .all();
    for (const { id, content } of chains) {
      indexChain(connection, Number(id), JSON.parse(String(content)) as ChainContent);
    }
  });
}

/** Throws when another build has made the index in its own way since this one opened the file. */
export function requireFormat(connection: Connection): void {
  const found = indexFormat(connection);
  if (found === SEARCH_FORMAT) return;
  throw new KairosError('STORE_UNAVAILABLE', `the search index has format ${found}, not ${SEARCH_FORMAT}`, {
    hint: 'Another version of kairos uses this store: open it once with this one and write permission.',
  });
}

/** The word that stands for a space in the full-text index. */
export function spaceToken(space: number): string {
  return `s${space}`;
}

function indexFormat(connection: Connection): number | null {
  const row = connection.prepare('SELECT format FROM search_state').get();
  return row === undefined ? null : Number(row.format);
}

/** Names are also found when they are written together. */
function phraseKeys({ names, triggers }: SearchDocument): string[] {
  return [...names, ...names.map((name) => name.replaceAll(' ', '')), ...triggers];
}

/** Words are only added. A word that no name contains finds nothing. */
function indexSlips(connection: Connection, { names }: SearchDocument): void {
  const insert = connection.prepare(
    'INSERT INTO search_slip (key, word) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const words = new Set(names.flatMap((name) => name.split(' ')).filter(allowsSlip));
  for (const word of words) for (const key of slipKeys(word)) insert.run(key, word);
}

import { KairosError } from '../../base/errors.ts';
import type { ChainContent } from '../../protocol/model.ts';
import { allCounts, SEARCH_FORMAT, type SearchDocument, toSearchDocument } from '../../search/document.ts';
import { allowsSlip, slipKeys } from '../../search/typo.ts';
import { type Connection, writeTransaction } from './driver.ts';

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
export function unindexChain(connection: Connection, chain: number): void {
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
    // Vectors can all be made again, and an older build kept them in another form. A new file has none.
    const older = indexFormat(connection) === null ? [] : ['vector', 'vector_model'];
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

/** Words are only added: one that no name has any more finds nothing. */
function indexSlips(connection: Connection, { names }: SearchDocument): void {
  const insert = connection.prepare(
    'INSERT INTO search_slip (key, word) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const words = new Set(names.flatMap((name) => name.split(' ')).filter(allowsSlip));
  for (const word of words) for (const key of slipKeys(word)) insert.run(key, word);
}

import type { SearchHit } from '../../search/classify.ts';
import type { SearchDocument } from '../../search/document.ts';
import { rank, type SearchCandidate } from '../../search/rank.ts';
import {
  candidatesEach,
  type ResolvedPhrasing,
  type ResolvedTerm,
  resolve,
  slipKeys,
  stretchTerms,
  tellingTerms,
  type Vocabulary,
} from '../../search/resolve.ts';
import type { Stemmers } from '../../search/snowball.ts';
import { parseQuery } from '../../search/words.ts';
import type { SearchRequest } from '../port.ts';
import { knownSpaceIds, requireFormat, spaceToken, summaryOf, toQuality } from './chains.ts';
import { type Connection, readStored } from './driver.ts';
import { nearestChains } from './vector-matrix.ts';

/** A term that at most this many chains contain is also looked up in their bodies. */
const RARE = 400;
/** The rarest terms that together are in about so many chains are looked up one by one; each chain found has to be ranked. */
const FOUND_MAX = 1000;
/** How many chains with exactly the same name can still be distinguished. */
const NAMESAKES = 64;

/** Live chains of the spaces that match, best first; to be run in one read transaction. */
export function searchChains(
  connection: Connection,
  request: SearchRequest,
  stemmers: Stemmers,
): SearchHit[] {
  requireFormat(connection);
  const spaces = knownSpaceIds(connection, request.spaces);
  if (spaces.length === 0) return [];
  const vocabulary = vocabularyOf(connection, spaces);
  const phrasings = parseQuery(request.query).map((phrasing) => resolve(phrasing, vocabulary, stemmers));
  const near = request.vectors === undefined ? null : nearestChains(connection, request.vectors, spaces);
  const ids = new Set<number>(near?.flatMap((chains) => [...chains.keys()]));
  for (const phrasing of phrasings) {
    for (const id of namesakes(connection, phrasing, spaces)) ids.add(id);
    const stretches = stretchTerms(phrasing);
    const limit = candidatesEach(stretches.length);
    for (const terms of stretches) {
      for (const id of fullText(connection, terms, spaces, limit)) ids.add(id);
    }
  }
  const candidates = candidatesOf(connection, ids).map((found) => ({
    ...found,
    cosines: near?.map((chains) => chains.get(found.id) ?? null) ?? [],
  }));
  const scale = near === null ? undefined : request.vectors?.model;
  return rank(phrasings, candidates, request.limit, scale).flatMap(({ candidate: { id }, ...found }) => {
    const chain = summaryOf(connection, id);
    return chain === null ? [] : [{ chain, ...found }];
  });
}

/** Chains with a title, slug or trigger that is the whole phrasing. */
function namesakes(connection: Connection, { key }: ResolvedPhrasing, spaces: readonly number[]): number[] {
  const keys = [...new Set([key, key.replaceAll(' ', '')])];
  return connection
    .prepare(
      `SELECT DISTINCT chain.id FROM search_phrase JOIN chain ON chain.id = search_phrase.chain
       WHERE phrase IN (SELECT value FROM json_each(?)) AND space_id IN (SELECT value FROM json_each(?))
       ORDER BY chain.id LIMIT ${NAMESAKES}`,
    )
    .all(JSON.stringify(keys), JSON.stringify(spaces))
    .map(({ id }) => Number(id));
}

/**
 * Chains to score, by the index's own bm25: those that contain all terms anywhere, those that contain a rare
 * one anywhere, and those that contain any in name or summary. So a query of common words never ranks every
 * chain of a large store.
 */
function fullText(
  connection: Connection,
  terms: readonly ResolvedTerm[],
  spaces: readonly number[],
  limit: number,
): number[] {
  const all = terms.map(quoted);
  const telling = tellingTerms(terms, FOUND_MAX);
  const rare = telling.filter(({ chains }) => chains <= RARE).map(quoted);
  const any = telling.map(quoted);
  const find = (expression: string, words: readonly string[]) =>
    matches(connection, spaces, expression, words, limit);
  const found = [find(`{name summary body} : (${all.join(' AND ')})`, all)];
  if (all.length > 1) {
    found.push(find(`{name summary body} : (${rare.join(' OR ')})`, rare));
    found.push(find(`{name summary} : (${any.join(' OR ')})`, any));
  }
  return found.flat();
}

function quoted({ variants }: ResolvedTerm): string {
  const ways = variants.map(({ stems }) => stems.map((stem) => `"${stem}"`).join(' AND '));
  return `(${ways.map((way) => `(${way})`).join(' OR ')})`;
}

function matches(
  connection: Connection,
  spaces: readonly number[],
  expression: string,
  terms: readonly string[],
  limit: number,
): number[] {
  if (terms.length === 0) return [];
  const [total] = connection.prepare('SELECT count(*) AS count FROM space').all();
  const everywhere = Number(total?.count) === spaces.length;
  const tokens = spaces.map((space) => `"${spaceToken(space)}"`).join(' OR ');
  return connection
    .prepare(
      `SELECT rowid FROM search_text WHERE search_text MATCH ?
       ORDER BY bm25(search_text, 0, 8, 3, 1), rowid LIMIT ${limit}`,
    )
    .all(everywhere ? expression : `space : (${tokens}) AND ${expression}`)
    .map(({ rowid }) => Number(rowid));
}

/** All of them together: separate queries cost most of the time of a search. */
function candidatesOf(
  connection: Connection,
  ids: ReadonlySet<number>,
): (SearchCandidate & { id: number })[] {
  return connection
    .prepare(
      `SELECT chain.id, chain.chain_id, chain.slug, document, runs, successes, bonus FROM json_each(?) AS wanted
       JOIN search_document ON search_document.chain = wanted.value JOIN chain ON chain.id = search_document.chain
       JOIN revision ON revision.id = chain.head_id
       LEFT JOIN quality ON quality.chain_id = chain.chain_id AND quality.digest = revision.digest`,
    )
    .all(JSON.stringify([...ids]))
    .map((row) => ({
      id: Number(row.id),
      chainId: String(row.chain_id),
      slug: String(row.slug),
      document: readStored<SearchDocument>(
        String(row.document),
        `the search index of chain ${String(row.chain_id)}`,
        JSON.parse,
      ),
      quality: toQuality(row),
    }));
}

/** Enough to find the relatives of a word; a prefix shared by more stems doesn't count. */
const STEMS_MAX = 256;

/** The words of the chains of some spaces, and of no other. */
function vocabularyOf(connection: Connection, spaces: readonly number[]): Vocabulary {
  const inSpaces = JSON.stringify(spaces);
  const known = new Map<string, number>();
  return {
    frequency(stem) {
      let count = known.get(stem);
      if (count === undefined) {
        const sql =
          'SELECT sum(chains) AS count FROM search_term WHERE term = ? AND space_id IN (SELECT value FROM json_each(?))';
        count = Number(connection.prepare(sql).get(stem, inSpaces)?.count ?? 0);
        known.set(stem, count);
      }
      return count;
    },
    stemsBeginningWith(beginning) {
      return connection
        .prepare(
          `SELECT DISTINCT term FROM search_term WHERE space_id IN (SELECT value FROM json_each(?))
           AND term >= ? AND term < ? ORDER BY term LIMIT ${STEMS_MAX}`,
        )
        .all(inSpaces, beginning, `${beginning}\u{10ffff}`)
        .map(({ term }) => String(term));
    },
    nameWordsNear(word) {
      return connection
        .prepare(
          'SELECT DISTINCT word FROM search_slip WHERE key IN (SELECT value FROM json_each(?)) ORDER BY word',
        )
        .all(JSON.stringify(slipKeys(word)))
        .map((row) => String(row.word));
    },
  };
}

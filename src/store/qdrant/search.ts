import type { ChainSummary, SearchHit } from '../../search/classify.ts';
import { SEARCH_FORMAT, type SearchDocument } from '../../search/document.ts';
import { rank, type SearchCandidate } from '../../search/rank.ts';
import {
  candidatesEach,
  type ResolvedPhrasing,
  type ResolvedTerm,
  stretchTerms,
} from '../../search/resolve.ts';
import { parseQuery } from '../../search/words.ts';
import type { SearchRequest } from '../port.ts';
import type { Condition, Databank, Filter, Hit, Points, Query, Stored } from './api.ts';
import { type ChainState, phraseHash, readJson, stemIndex } from './chain-point.ts';
import { readRevisions } from './chains.ts';
import { qdrantUnavailable } from './failures.ts';
import { is, isOneOf, type Known, ofKind } from './ids.ts';
import { type NearChain, queryNearestChains } from './vectors.ts';
import { resolveAll } from './vocabulary.ts';

/** A term that at most this many chains contain is also looked up in their bodies. */
const RARE = 400;
/** How many chains with exactly the same name can still be distinguished. */
const NAMESAKES = 64;
/** Qdrant's default is 2; here the places are only used to merge lists that are scored again. */
const FUSION_K = 60;
const KEYS = ['space', 'summary', 'document', 'state'];

/** Live chains of the spaces that match, best first: the server finds candidates, `src/search` scores them. */
export async function queryChains(
  points: Points,
  databank: Databank,
  request: SearchRequest,
  known: Known,
): Promise<SearchHit[]> {
  if (request.spaces.length === 0) return [];
  const spaces = isOneOf('space', request.spaces);
  const [near, phrasings] = await Promise.all([
    request.vectors === undefined ? null : queryNearestChains(points, databank, request.vectors, spaces),
    resolveAll(points, parseQuery(request.query), spaces),
  ]);
  const [foreign, ...found] = await points.search([
    {
      filter: { ...live(spaces), must_not: is('search_format', SEARCH_FORMAT) },
      limit: 1,
      with_payload: false,
    },
    ...phrasings.flatMap((phrasing) => {
      const stretches = stretchTerms(phrasing);
      const limit = candidatesEach(stretches.length);
      return [namesakes(phrasing, spaces), ...stretches.map((terms) => fullText(terms, spaces, limit))];
    }),
  ]);
  if (foreign !== undefined && foreign.length > 0) {
    throw qdrantUnavailable(
      points.place,
      `is not indexed for search as this kairos does it (format ${SEARCH_FORMAT})`,
      'Another version of kairos uses this store: open it once with the newest one and write permission.',
    );
  }
  const hits = new Map<Hit['id'], Stored>(found.flat().map((hit) => [hit.id, hit]));
  const nearIds = new Set(near?.flatMap((chains) => [...chains.keys()]));
  for (const stored of await points.get(
    [...nearIds].filter((id) => !hits.has(id)),
    KEYS,
  )) {
    if (stored.payload?.summary !== undefined) hits.set(stored.id, stored);
  }
  const candidates = [...hits.values()].map((stored) => toCandidate(stored, near));
  const scale = near === null ? undefined : request.vectors?.model;
  const ranked = rank(phrasings, candidates, request.limit, scale);
  await learnContents(
    points,
    ranked.flatMap(({ candidate }) => hits.get(candidate.chainId) ?? []),
    known,
  );
  return ranked.map(({ candidate, ...result }) => ({ chain: candidate.summary, ...result }));
}

/** Fetches the contents of found chains together, because the result of a search names their first steps. */
async function learnContents(points: Points, found: readonly Stored[], known: Known): Promise<void> {
  const heads = found.map(({ id, payload }) => {
    const { digest } = readJson(payload?.summary, id) as ChainSummary;
    const { revisions } = readJson(payload?.state, id) as Pick<ChainState, 'revisions'>;
    const kept = revisions.filter((revision) => revision.digest === digest);
    return { state: { chainId: String(id), space: String(payload?.space) }, kept: kept.slice(-1) };
  });
  const missing = heads.filter(
    ({ state, kept }) => !known.revisions.get(`${state.chainId} ${kept[0]?.digest}`),
  );
  // A damaged or lost content is an error where it is read, not for the other results.
  const revisions = await readRevisions(points, missing).catch(() => []);
  for (const revision of revisions) known.learnRevision(revision);
}

function live(spaces: Condition, ...conditions: Condition[]): Filter {
  return ofKind('chain', spaces, is('live', true), ...conditions);
}

/** Chains with a title, slug or trigger that is the whole phrasing. */
function namesakes({ key }: ResolvedPhrasing, spaces: Condition): Query {
  const hashes = [key, key.replaceAll(' ', '')].map(phraseHash);
  return { filter: live(spaces, isOneOf('phrases', hashes)), limit: NAMESAKES, with_payload: KEYS };
}

/**
 * Chains to score, by BM25 with the server's inverse document frequencies: those that contain all terms
 * anywhere, those that contain a rare one anywhere, and those that contain any in name or summary; the three
 * lists merged by reciprocal rank.
 */
function fullText(terms: readonly ResolvedTerm[], spaces: Condition, limit: number): Query {
  const weights = new Map<number, number>();
  const stemsOf = terms.map(({ variants }) => variants.flatMap(({ stems }) => stems));
  for (const { stems, factor } of terms.flatMap(({ variants }) => variants)) {
    for (const index of stems.map(stemIndex)) weights.set(index, Math.max(weights.get(index) ?? 0, factor));
  }
  const rare = terms.flatMap(({ chains }, at) => (chains <= RARE ? (stemsOf[at] ?? []) : []));
  const filters = [live(spaces, ...stemsOf.map((stems) => isOneOf('stems', stems)))];
  if (terms.length > 1) {
    if (rare.length > 0) filters.push(live(spaces, isOneOf('stems', rare)));
    filters.push(live(spaces, isOneOf('head_stems', stemsOf.flat())));
  }
  const query = { indices: [...weights.keys()], values: [...weights.values()] };
  return {
    prefetch: filters.map((filter) => ({ query, using: 'bm25', filter, limit })),
    query: { rrf: { k: FUSION_K } },
    limit: limit * filters.length,
    with_payload: KEYS,
  };
}

function toCandidate(
  { id, payload }: Stored,
  near: readonly ReadonlyMap<string, NearChain>[] | null,
): SearchCandidate & { summary: ChainSummary } {
  const summary = readJson(payload?.summary, id) as ChainSummary;
  const { quality } = readJson(payload?.state, id) as Pick<ChainState, 'quality'>;
  const { runs, successes, bonus } = quality.find(({ digest }) => digest === summary.digest) ?? NO_RUNS;
  return {
    chainId: summary.chainId,
    slug: summary.slug,
    document: readJson(payload?.document, id) as SearchDocument,
    quality: { runs, successes, bonus },
    // A vector of another head doesn't count for this one.
    cosines: (near ?? []).map((chains) => {
      const found = chains.get(summary.chainId);
      return found?.digest === summary.digest ? found.cosines : null;
    }),
    summary,
  };
}

const NO_RUNS = { runs: 0, successes: 0, bonus: 0 };

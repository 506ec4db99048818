import type { Schemas } from '@qdrant/js-client-rest';
import { fits, requireIndexes } from './filter.ts';
import { requireLimit, rowsOf } from './points.ts';
import { dot, idf, normalised, reciprocalRankFusion, sparseScore } from './scoring.ts';
import { compareIds, Refusal, type StoredCollection, type StoredPoint, selectPayload } from './state.ts';

type Asked = Schemas['QueryRequest'] | Schemas['Prefetch'];
type Scored = [point: StoredPoint, score: number];

/** One search: nearest to a sparse or dense vector, a fusion of prefetches, or without a query all that fit, by id. */
export function query(
  collection: StoredCollection,
  asked: Schemas['QueryRequest'],
): Schemas['QueryResponse'] {
  const found = ranked(collection, asked);
  return {
    points: found.map(([point, score]) => ({
      id: point.id,
      version: point.version,
      score: Math.fround(score),
      payload: selectPayload(point, asked.with_payload, false),
    })),
  };
}

function ranked(collection: StoredCollection, asked: Asked): Scored[] {
  const { prefetch, query: wanted, using, filter, limit, score_threshold } = asked;
  requireIndexes(collection, filter);
  const most = requireLimit(collection, limit);
  const prefetches = (
    prefetch ? (Array.isArray(prefetch) ? prefetch : [prefetch]) : []
  ) as Schemas['Prefetch'][];
  if (prefetches.length > 0) {
    const { rrf } = (wanted ?? {}) as { rrf?: Schemas['Rrf'] };
    if (rrf === undefined) throw new Refusal(400, 'the double fuses by rrf only');
    const lists = prefetches.map((part) => ranked(collection, part).map(([point]) => point));
    const fused = reciprocalRankFusion(lists, rrf.k ?? 2, rrf.weights ?? []);
    return fused.filter(([point]) => fits(filter, point)).slice(0, most);
  }
  const fitting = [...collection.points.values()].filter((point) => fits(filter, point));
  if (!wanted)
    return fitting
      .sort((a, b) => compareIds(a.id, b.id))
      .slice(0, most)
      .map((point) => [point, 0]);
  const scored = isSparse(wanted)
    ? sparse(collection, fitting, wanted, String(using))
    : dense(collection, fitting, wanted as number[] | number[][], String(using));
  return scored
    .filter(([, score]) => typeof score_threshold !== 'number' || score >= score_threshold)
    .sort(([a, left], [b, right]) => right - left || compareIds(a.id, b.id))
    .slice(0, most);
}

/** Only points that share a dimension with the query are found. */
function sparse(
  collection: StoredCollection,
  fitting: readonly StoredPoint[],
  { indices, values }: Schemas['SparseVector'],
  using: string,
): Scored[] {
  const params = collection.config.sparse_vectors?.[using];
  if (params === undefined) throw new Refusal(400, `Wrong input: Not existing vector name error: ${using}`);
  const wanted = new Map(indices.map((index, at) => [index, values[at] ?? 0]));
  const having = [...collection.points.values()].flatMap((point) => point.sparse.get(using) ?? []);
  const weights = new Map(
    indices.map((index) => [index, idf(having.length, having.filter((vector) => vector.has(index)).length)]),
  );
  const weightOf = (index: number) => (params.modifier === 'idf' ? (weights.get(index) ?? 0) : 1);
  return fitting.flatMap((point): Scored[] => {
    const vector = point.sparse.get(using);
    if (vector === undefined || !indices.some((index) => vector.has(index))) return [];
    return [[point, sparseScore(wanted, vector, weightOf)]];
  });
}

function dense(
  { config }: StoredCollection,
  fitting: readonly StoredPoint[],
  wanted: number[] | number[][],
  using: string,
): Scored[] {
  const params = (config.vectors as Record<string, Schemas['VectorParams']>)[using];
  if (params?.distance !== 'Cosine')
    throw new Refusal(400, `Wrong input: Not existing vector name error: ${using}`);
  const queries = rowsOf(params, wanted).map(normalised);
  return fitting.flatMap((point): Scored[] => {
    const vectors = point.dense.get(using);
    if (vectors === undefined) return [];
    // The comparator `max_sim`; with one vector on both sides it is the dot product.
    const best = queries.map((query) => Math.max(...vectors.map((vector) => dot(query, vector))));
    return [[point, best.reduce((sum, score) => sum + score, 0)]];
  });
}

function isSparse(wanted: NonNullable<Asked['query']>): wanted is Schemas['SparseVector'] {
  return typeof wanted === 'object' && 'indices' in wanted;
}

import { cosine, unit } from '../cosine.ts';
import type { VectorModel } from '../vectors.ts';
import type { Embedder } from './embedder.ts';
import { MEANT_ALIKE, NONSENSE } from './probes.ts';

/** How far above the cosines of unrelated texts the floor lies, in standard deviations. */
const FLOOR_DEVIATIONS = 1.6;
/** How much farther than those that belong together the ceiling lies above the floor. */
const CEILING_FACTOR = 1.55;
/** The least distance from floor to ceiling, for models that separate texts badly. */
const SPAN_MIN = 0.05;

/**
 * Finds what a model's cosines mean, since each model has its own: on some, texts that have nothing in common lie at
 * 0.1, on others at 0.75. A fixed set of wishes and procedures is embedded; the floor lies above the cosines of those
 * most that do not belong together and of nonsense, the ceiling well above the better half of those that do.
 */
export async function calibrate(
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<Pick<VectorModel, 'dimensions' | 'floor' | 'ceiling'>> {
  if (embedder.instant !== undefined) return embedder.instant;
  const texts = MEANT_ALIKE.map(([, procedure]) => procedure);
  const wishes = [...MEANT_ALIKE.map(([wish]) => wish), ...NONSENSE];
  const documents = (await embedder.embed(texts, 'document', signal)).map(unit);
  const queries = (await embedder.embed(wishes, 'query', signal)).map(unit);
  const alike: number[] = [];
  const unrelated: number[] = [];
  for (const [row, query] of queries.entries()) {
    for (const [column, document] of documents.entries()) {
      (row === column ? alike : unrelated).push(cosine(document, query));
    }
  }
  const floor = mean(unrelated) + FLOOR_DEVIATIONS * deviation(unrelated);
  const better = alike.toSorted((left, right) => right - left).slice(0, alike.length / 2);
  const wanted = floor + CEILING_FACTOR * (mean(better) - floor);
  const ceiling = Math.max(floor + SPAN_MIN, Math.min(1, wanted));
  return { dimensions: documents[0]?.length ?? 0, floor, ceiling };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

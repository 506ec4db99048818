import { cosine, unit } from '../cosine.ts';
import type { VectorModel } from '../vectors.ts';
import type { Embedder } from './embedder.ts';

/** Distance of the floor above the cosines of unrelated texts, in standard deviations. */
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
): Promise<Pick<VectorModel, 'dimensions' | 'floor' | 'ceiling'>> {
  if (embedder.instant !== undefined) return embedder.instant;
  const texts = MEANT_ALIKE.map(([, procedure]) => procedure);
  const wishes = [...MEANT_ALIKE.map(([wish]) => wish), ...NONSENSE];
  const documents = (await embedder.embed(texts, 'document')).map(unit);
  const queries = (await embedder.embed(wishes, 'query')).map(unit);
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

/** Wishes, and what would fulfil them in other words: what a model is measured with (`calibrate`). */
export const MEANT_ALIKE: readonly (readonly [wish: string, procedure: string])[] = [
  ['the hot water does not work any more', 'Repair a boiler. the heater is cold'],
  ['somebody new joins our team on Monday', 'Onboard a new employee. first day of a colleague'],
  ['we lost all rows of the orders table', 'Restore a database from a backup. bring back deleted data'],
  ['customers want their money back', 'Issue a refund. return a payment'],
  ['get the latest build into the hands of users', 'Deploy to production. roll out the new version'],
  ['my plants look sad and dry', 'Water the garden. take care of the flowers'],
  ['the website shows a security warning in the browser', 'Renew a TLS certificate. https is expired'],
  ['how many things are left in the storeroom', 'Take stock of a warehouse. inventory count'],
  ['teach the class about fractions', 'Prepare a lesson. plan teaching'],
  ['someone broke into our server', 'Respond to a security incident. we were hacked'],
  ['send the bill to the client', 'Write an invoice. charge for our work'],
  ['the engine makes a strange noise', 'Inspect a car. something is wrong with the vehicle'],
  ['where should we go in summer', 'Plan a holiday. book a trip'],
  ['this function is slow', 'Profile a program. find the bottleneck'],
];

/** What nothing should be found for. */
export const NONSENSE: readonly string[] = [
  'xkcdqz blorp zint',
  'asdf qwer uiop',
  'lorem ipsum dolor sit amet',
  'wibble wobble flurgh',
  '9f8a77c1 0x00ff',
  'the of and to',
];

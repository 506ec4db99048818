import type { VectorModel } from './vectors.ts';

/** What one model takes for unrelated and for the same. */
export type Scale = Pick<VectorModel, 'floor' | 'ceiling'>;

/** How many of the nearest chains a phrasing's vector may bring in. Chains beyond count as not near, in every store. */
export const NEAREST = 64;

/**
 * How near a cosine is on a model's own scale: 0 at its floor and below, 1 at its ceiling and above. So nearness means
 * the same for models whose cosines lie between 0 and 0.5 and for those where they lie between 0.7 and 0.9.
 */
export function nearness(cosine: number, { floor, ceiling }: Scale): number {
  return Math.min(1, Math.max(0, (cosine - floor) / (ceiling - floor)));
}

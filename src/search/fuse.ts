/** Flattens the start of the curve: the greater, the less a first place in one list counts alone. Qdrant's default. */
const K = 2;

/** A ranking, best first, and how much it counts beside others. */
export interface Ranking<T> {
  items: readonly T[];
  weight: number;
}

/**
 * Weighted reciprocal rank fusion (G. Cormack, C. Clarke, S. Büttcher 2009) as Qdrant computes it, so that a ranking
 * fused here and one fused there agree: each ranking adds `1 / ((rank + 1) / weight + k - 1)`, ranks counting from 0.
 * Answers the sum of each item, in the order in which items are first met.
 */
export function fuseRanks<T>(rankings: readonly Ranking<T>[], k = K): Map<T, number> {
  const sums = new Map<T, number>();
  for (const { items, weight } of rankings) {
    for (const [rank, item] of items.entries()) {
      sums.set(item, (sums.get(item) ?? 0) + 1 / ((rank + 1) / weight + k - 1));
    }
  }
  return sums;
}

/**
 * Inverse document frequency as the modifier `idf` has it: `ln((n - df + 0.5) / (df + 0.5) + 1)`, n points having the
 * vector and df of them the dimension.
 */
export function idf(n: number, df: number): number {
  return Math.log((n - df + 0.5) / (df + 0.5) + 1);
}

/** Dot product of a sparse query, its weights multiplied with idf, and a sparse vector. */
export function sparseScore(
  query: ReadonlyMap<number, number>,
  vector: ReadonlyMap<number, number>,
  weightOf: (dimension: number) => number,
): number {
  let score = 0;
  for (const [dimension, value] of query) {
    score += value * weightOf(dimension) * (vector.get(dimension) ?? 0);
  }
  return score;
}

/** Scaled to length 1, as vectors with the cosine distance are stored. */
export function normalised(vector: readonly number[] | Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

/** Dot product of two dense vectors. */
export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (const [at, value] of left.entries()) sum += value * (right[at] ?? 0);
  return sum;
}

/**
 * Reciprocal rank fusion: each list adds `1 / ((rank + 1) / weight + k - 1)` with ranks from 0, which is `1 / (rank + k)`
 * for weight 1. Best first, equal ones in the order in which they were met.
 */
export function reciprocalRankFusion<T>(
  lists: readonly (readonly T[])[],
  k: number,
  weights: readonly number[] = [],
): [item: T, score: number][] {
  const scores = new Map<T, number>();
  for (const [at, list] of lists.entries()) {
    for (const [rank, item] of list.entries()) {
      const score = 1 / ((rank + 1) / (weights[at] ?? 1) + k - 1);
      scores.set(item, (scores.get(item) ?? 0) + score);
    }
  }
  return [...scores].sort(([, left], [, right]) => right - left);
}

/** What may be near, by the number of its row. */
export interface Near {
  row: number;
  cosine: number;
}

/**
 * The `limit` greatest of the cosines above `floor`, greatest first and equal ones by row. `cosineOf` is
 * called for every row and returns null for a row to skip.
 */
export function nearest(
  rows: number,
  limit: number,
  floor: number,
  cosineOf: (row: number) => number | null,
): Near[] {
  const found: Near[] = [];
  let least = floor;
  for (let row = 0; row < rows; row += 1) {
    const cosine = cosineOf(row);
    if (cosine === null || cosine <= least) continue;
    found.push({ row, cosine });
    // Sorted now and then, which takes less time than keeping thousands in order.
    if (found.length === limit * 2) least = cut(found, limit);
  }
  cut(found, limit);
  return found;
}

/** Keeps the greatest; answers the least of them, or what was the floor's place when there are fewer. */
function cut(found: Near[], limit: number): number {
  found.sort((left, right) => right.cosine - left.cosine || left.row - right.row);
  found.length = Math.min(found.length, limit);
  return found[limit - 1]?.cosine ?? Number.NEGATIVE_INFINITY;
}

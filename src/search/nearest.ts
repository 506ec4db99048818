/** What may be near, by the number of its row. */
export interface Near {
  row: number;
  cosine: number;
}

/**
 * The `limit` greatest of the cosines above `floor`, greatest first and equal ones by row. `cosineOf` is asked for every
 * row; it answers null for one that is not to be looked at.
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
    let at = found.length;
    while (at > 0 && (found[at - 1]?.cosine ?? 0) < cosine) at -= 1;
    found.splice(at, 0, { row, cosine });
    if (found.length > limit) found.pop();
    if (found.length === limit) least = found[limit - 1]?.cosine ?? least;
  }
  return found;
}

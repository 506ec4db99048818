/**
 * Which items of a row of distinct numbers have to be moved so that the rest ascends: as few as possible, and among
 * as few preferably those that are not where they belong. (Heaviest ascending subsequence, O(n log n).)
 */
export function movedItems(row: readonly number[]): Set<number> {
  const sorted = row.toSorted((a, b) => a - b);
  const rank = new Map(sorted.map((number, index) => [number, index]));
  if (row.every((number, index) => rank.get(number) === index)) return new Set();
  const size = row.length;
  // best[r]: index in `row` of the end of the heaviest ascent whose last number ranks within the node's range.
  const best = new Array<number>(size + 1).fill(-1);
  const weights = new Array<number>(size).fill(0);
  const previous = new Array<number>(size).fill(-1);
  const weightOf = (index: number) => (index < 0 ? 0 : (weights[index] ?? 0));
  row.forEach((number, index) => {
    const position = rank.get(number) ?? 0;
    let heaviest = -1;
    for (let node = position; node > 0; node -= node & -node) {
      const candidate = best[node] ?? -1;
      if (weightOf(candidate) > weightOf(heaviest)) heaviest = candidate;
    }
    previous[index] = heaviest;
    weights[index] = weightOf(heaviest) + size + 1 + (position === index ? 1 : 0);
    for (let node = position + 1; node <= size; node += node & -node) {
      if (weightOf(index) > weightOf(best[node] ?? -1)) best[node] = index;
    }
  });
  const moved = new Set(row);
  let at = weights.reduce((heaviest, weight, index) => (weight > weightOf(heaviest) ? index : heaviest), -1);
  while (at >= 0) {
    moved.delete(row[at] ?? -1);
    at = previous[at] ?? -1;
  }
  return moved;
}

/**
 * The known word nearest to the given one, or undefined when none is near. Near means at most one slip in
 * three letters (letters added, left out, replaced, neighbours swapped), ignoring case, or that one word is a
 * prefix of the other.
 */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    const isPart = wanted.length > 2 && (other.startsWith(wanted) || wanted.startsWith(other));
    const distance = isPart ? Math.min(limit, slips(wanted, other)) : slips(wanted, other);
    if (distance > limit || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Restricted Damerau-Levenshtein distance, in UTF-16 units. */
export function slips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** A shorter word of a title has too many neighbours to tell a slip from another word. In code points. */
const SLIP_MIN_LENGTH = 4;

/** Whether a word of a title or slug is long enough to be found in spite of a slip. */
export function allowsSlip(word: string): boolean {
  return [...word].length >= SLIP_MIN_LENGTH;
}

/**
 * Whether two words differ by at most one slip: a letter added, left out, replaced, or two neighbours swapped
 * (restricted Damerau-Levenshtein distance 1). Letters are code points.
 */
export function withinOneSlip(left: string, right: string): boolean {
  if (left === right) return true;
  const a = [...left];
  const b = [...right];
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end += 1;
  }
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}

/**
 * What a word can be found by in spite of a slip: itself and each way of leaving out one letter. Two words within one
 * slip always share a key (W. Garbe's symmetric delete); words that share one still need `withinOneSlip`.
 */
export function slipKeys(word: string): string[] {
  const letters = [...word];
  const keys = new Set([word]);
  for (let at = 0; at < letters.length; at += 1) keys.add(letters.toSpliced(at, 1).join(''));
  return [...keys];
}

import type { QueryTerm } from './query.ts';
import { stem } from './stem/stem.ts';
import { isUnspaced } from './words.ts';

/** Code points of the shortest part that a word may be cut into; where letters are syllables or words, one. */
const PART_MIN = 3;
const UNSPACED_PART_MIN = 1;

/**
 * The other ways to write a term that are known: cut in two (`rollback` as `roll` and `back`), or put together with the
 * word before or after it in the query (`roll back` as `rollback`). In scripts without
 * spaces this makes up for words that were cut differently in query and text. Each way is the stems that must all be there.
 */
export function compounds(
  { stem: itself, word }: QueryTerm,
  words: readonly string[],
  isKnown: (stem: string) => boolean,
): string[][] {
  const ways: string[][] = [];
  const letters = [...word];
  const least = isUnspaced(word) ? UNSPACED_PART_MIN : PART_MIN;
  for (let at = least; at <= letters.length - least; at += 1) {
    const parts = [letters.slice(0, at), letters.slice(at)].map((part) => stem(part.join('')));
    if (parts.every(isKnown)) ways.push(parts);
  }
  for (const [at, left] of words.entries()) {
    const right = words[at + 1];
    if (right === undefined || (left !== word && right !== word)) continue;
    const together = stem(left + right);
    if (together !== itself && isKnown(together)) ways.push([together]);
  }
  return ways;
}

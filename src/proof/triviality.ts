import { isCopyOf } from './copy.ts';
import { isFiller } from './filler.ts';
import { foldedLetters } from './fold.ts';

/** Why a comment is trivial. */
export type Triviality = 'wordless' | 'repetition' | 'filler' | 'copy';

/** Whether a comment is meaningful (null) or not (SPEC 1), in any language; `sources` are texts it must not copy. */
export function trivialityOf(text: string, sources: readonly string[]): Triviality | null {
  const letters = foldedLetters(text);
  if (letters === '') return 'wordless';
  if (isRepetition(letters)) return 'repetition';
  if (isFiller(text)) return 'filler';
  return sources.some((source) => isCopyOf(text, source)) ? 'copy' : null;
}

/**
 * One character, word or phrase again and again, with or without spaces: the shortest period of the letters is at
 * most half of them. Found in linear time by the failure function of Knuth, Morris and Pratt.
 */
function isRepetition(letters: string): boolean {
  // Decomposed, because syllables of Hangul join where two repeats meet; without marks, because those of two repeats
  // change places there.
  const points = Array.from(letters.normalize('NFD').replace(/\p{M}/gu, ''));
  const failure = new Array<number>(points.length).fill(0);
  for (let at = 1, matched = 0; at < points.length; at += 1) {
    while (matched > 0 && points[at] !== points[matched]) matched = failure[matched - 1] ?? 0;
    if (points[at] === points[matched]) matched += 1;
    failure[at] = matched;
  }
  const period = points.length - (failure.at(-1) ?? 0);
  return period * 2 <= points.length;
}

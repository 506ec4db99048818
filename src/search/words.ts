import { segmentsOf } from '../base/segments.ts';
import { fold } from './fold.ts';

/** Longest word that is kept, in UTF-16 units; what is longer is data, not language. */
const WORD_MAX_LENGTH = 64;

/**
 * The folded words of a text in order. Letters, digits and their marks make words, everything else parts them, as in
 * FTS5's unicode61. An apostrophe inside a word joins ("don't" is `dont`), a possessive `'s` is dropped. Runs of
 * scripts that are written without spaces are cut by `Intl.Segmenter` (Unicode Standard Annex 29 with dictionaries).
 */
export function words(text: string): string[] {
  const found: string[] = [];
  const folded = fold(text)
    .replace(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '');
  for (const [run] of folded.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (isUnspaced(run)) {
      for (const { segment, isWordLike } of segmentsOf(segmenter(), run)) {
        if (isWordLike && segment.length <= WORD_MAX_LENGTH) found.push(segment);
      }
    } else if (run.length <= WORD_MAX_LENGTH) found.push(run);
  }
  return found;
}

/** What two texts must share to be called exactly the same: their words, or their letters when they have no words. */
export function phraseKey(text: string): string {
  const found = words(text);
  return found.length > 0 ? found.join(' ') : fold(text).trim();
}

/** Whether a text has letters of a script that is written without spaces. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

let shared: Intl.Segmenter | undefined;
function segmenter(): Intl.Segmenter {
  shared ??= new Intl.Segmenter('en', { granularity: 'word' });
  return shared;
}

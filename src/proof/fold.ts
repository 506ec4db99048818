import { remember } from '../base/remember.ts';

/** Case, width and the accents of Latin, Greek and Cyrillic folded away; marks that other scripts need stay. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');
}

/** The folded letters, digits and marks of a text, nothing between them. Steps are compared with one comment after another. */
export const foldedLetters = /* @__PURE__ */ remember(
  (text) => fold(text).replace(/[^\p{L}\p{N}\p{M}]+/gu, ''),
  2 ** 16,
);

/** The folded words of a text, as white space and punctuation part them; an apostrophe does not. */
export function foldedWords(text: string): string[] {
  return fold(text)
    .replace(/['\u2019\u02bc]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/**
 * One written form for texts that people consider equal: NFKC, lower-case, diacritics of Latin and Greek
 * letters dropped (as FTS5's `remove_diacritics 2` does for Latin), letters that don't decompose spelled out
 * (ß, ø, ł), Cyrillic ё as е, Hebrew points dropped, and Arabic as in Lucene's ArabicNormalizer: no vowel
 * signs and no tatweel, one alef, one yeh, heh for teh marbuta. Marks that carry meaning (Devanagari, kana,
 * Thai) stay.
 */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(LATIN_AND_GREEK_MARKS, '$1')
    .normalize('NFC')
    .replace(SPELLED_OUT, (letter) => SPELLINGS[letter] ?? letter)
    .replace(DROPPED, '');
}

const LATIN_AND_GREEK_MARKS = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ё: 'е',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
};
const SPELLED_OUT = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'gu');

/** Combining dot of a lower-cased İ, Hebrew points, Arabic vowel signs and tatweel. */
const DROPPED = /[\u0307\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]/gu;

/** Printable ASCII needs no table. */
function isPlain(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

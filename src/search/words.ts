import { segmentsOf } from '../base/escape.ts';
import { stem } from './stem.ts';

/** Longest word that is kept, in UTF-16 units; what is longer is data, not language. */
const WORD_MAX_LENGTH = 64;

/**
 * The folded words of a text in order. Letters, digits and their marks make words, everything else parts them, as in
 * FTS5's unicode61. An apostrophe inside a word joins ("don't" is `dont`), a possessive `'s` is dropped. Runs of
 * scripts that are written without spaces are cut by `Intl.Segmenter` (Unicode Standard Annex 29 with dictionaries).
 */
export function words(text: string): string[] {
  const found: string[] = [];
  const folded = foldForSearch(text)
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
  return found.length > 0 ? found.join(' ') : foldForSearch(text).trim();
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

/**
 * One written form for texts that people consider equal: NFKC, lower-case, diacritics of Latin and Greek
 * letters dropped (as FTS5's `remove_diacritics 2` does for Latin), letters that don't decompose spelled out
 * (ß, ø, ł), Cyrillic ё as е, Hebrew points dropped, and Arabic as in Lucene's ArabicNormalizer: no vowel
 * signs and no tatweel, one alef, one yeh, heh for teh marbuta. Marks that carry meaning (Devanagari, kana,
 * Thai) stay.
 */
export function foldForSearch(text: string): string {
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

/** Whether a folded word is so common that a query is better without it. Documents keep theirs. */
export function isStopWord(word: string): boolean {
  stopWords ??= new Set(LISTS.flatMap((list) => foldForSearch(list).trim().split(/\s+/)));
  return stopWords.has(word);
}

let stopWords: ReadonlySet<string> | undefined;

const LISTS = [
  // English, with the words that people wrap a request in
  `a about after all also am an and any are as at be been before being between both but by can cannot could did do
   does doing done during each else every for from get give go going had has have having he help her here hers
   him his how i if in into is it its itself just let like lets make may me mine more most much must my need needs
   no nor not now of off on once only or other our ours out over own please same shall she should show so some such
   tell than thanks that the their theirs them then there these they this those through to too under until up us
   use very want wants was way ways we were what when where which while who whom whose why will with would you your
   yours actually anyone anything best everyone everything good lot mean means nothing possible really
   somebody someone something stuff thing things try trying wanted
   dont doesnt didnt cant wont isnt arent wasnt im ive id ill youre theyre weve whats hows thats wheres`,
  // German
  `aber als am an auch auf aus bei bin bis bitte da damit dann das dass dem den der des die dies diese dieser dieses
   durch ein eine einem einen einer eines er es fur habe haben hat ich ihr im in ins ist kann man mein meine mir mit
   muss nach nicht noch nur oder ohne sein sich sie sind soll so uber um und uns unser unsere vom von vor was wenn wer
   werden wie wir wird wo wurde zu zum zur`,
  // French
  `au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur lui ma mais mes mon ne nos
   notre nous on ou par pas pour qu que qui sa se ses son sont sur ta te tu un une vos votre vous`,
  // Spanish
  `al como con cual cuando de del el ella en entre es esta este esto ha hay la las lo los mas me mi muy no nos o para
   pero por que se si sin sobre su sus te tu un una unas uno unos y ya`,
  // Russian
  `а без бы был была были было быть в во вот все всех вы где да для до его ее если есть еще же за и из или им их к как
   какой ко когда кто ли мне мой мы на над надо наш не него нет но ну о об от по под при с со так также там то только
   тут ты у уже чем что чтобы эта эти это этот я`,
  // Arabic
  `في من على الى عن مع هذا هذه ذلك تلك التي الذي ما ماذا كيف هل هو هي هم انا نحن انت ان او و ثم لا لم لن قد كان كل بعد قبل
   عند بين حتى اذا`,
  // Japanese
  `の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの
   です ます ました ください どう 方法 たい か ね よ へ より`,
  // Chinese
  '的 了 在 是 我 有 和 就 不 人 都 一 一个 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 吗 呢 吧 怎么 如何 请 怎样 什么',
  // Thai
  'ที่ และ ใน ของ เป็น ให้ ได้ จะ มี ไม่ กับ การ อย่างไร ครับ ค่ะ นี้ นั้น',
];

/** What is read of a query, so that a whole file sent as one costs a second and not a minute. */
export const PHRASINGS_MAX = 32;
export const WORDS_MAX = 1500;
const TEXT_MAX_LENGTH = 65_536;
/** Words that are judged together: words farther apart in a long request are not about one thing. */
export const STRETCH_WORDS = 48;
const STRETCH_STEP = STRETCH_WORDS / 2;

/** One phrasing of the request. */
export interface Phrasing {
  /** All of it as typed, cut into the stretches whose meaning is compared; one, if it is not long. */
  texts: string[];
  /** Equal keys mean: called exactly so. */
  key: string;
  /** All folded words in order, stop words too. */
  words: string[];
  /** Distinct terms that are looked up, without stop words. */
  terms: QueryTerm[];
}

export interface QueryTerm {
  stem: string;
  /** The first word that gave the stem. */
  word: string;
}

/** Parses a query as typed: ` | ` separates phrasings. Drops empty phrasings. */
export function parseQuery(query: string): Phrasing[] {
  return readQuery(query).phrasings;
}

/** Whether `parseQuery` reads all of a query. */
export function isReadWhole(query: string): boolean {
  return readQuery(query).whole;
}

interface ReadQuery {
  phrasings: Phrasing[];
  whole: boolean;
}

/** A search reads its query by words, by meaning and for its length, one after the other. */
let last: { query: string; read: ReadQuery } | undefined;

function readQuery(query: string): ReadQuery {
  if (last?.query !== query) last = { query, read: splitQuery(query) };
  return last.read;
}

function splitQuery(query: string): ReadQuery {
  const phrasings = new Map<string, Phrasing>();
  let whole = query.trim().length <= TEXT_MAX_LENGTH;
  let left = WORDS_MAX;
  for (const text of query
    .trim()
    .slice(0, TEXT_MAX_LENGTH)
    .split(/(?:^|\s)\|(?=\s|$)/)) {
    const key = phraseKey(text);
    if (key === '' || phrasings.has(key)) continue;
    if (left === 0 || phrasings.size === PHRASINGS_MAX)
      return { phrasings: [...phrasings.values()], whole: false };
    const all = words(text);
    const read = all.slice(0, left);
    if (read.length < all.length) whole = false;
    left -= read.length;
    phrasings.set(key, {
      texts: textStretches(text.trim(), read.length),
      key,
      words: read,
      terms: termsOf(read),
    });
  }
  return { phrasings: [...phrasings.values()], whole };
}

function termsOf(list: readonly string[]): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const word of list) {
    const term = stem(word);
    if (!isStopWord(word) && !terms.has(term)) terms.set(term, { stem: term, word });
  }
  return [...terms.values()];
}

/** The beginnings of the stretches of so many words, that overlap by half: 24 words in a row are never parted. */
export function stretchStarts(count: number): number[] {
  const last = Math.max(0, Math.ceil((count - STRETCH_WORDS) / STRETCH_STEP));
  return Array.from({ length: last + 1 }, (_, at) => at * STRETCH_STEP);
}

function textStretches(text: string, count: number): string[] {
  if (count <= STRETCH_WORDS) return [text];
  const pieces = (text.match(/\S{1,64}\s*/gu) ?? []).slice(0, count);
  return stretchStarts(pieces.length).map((start) =>
    pieces
      .slice(start, start + STRETCH_WORDS)
      .join('')
      .trim(),
  );
}

import type { Stemmers } from './snowball.ts';
import { stem } from './stem.ts';
import {
  isStopWord,
  isUnspaced,
  type Phrasing,
  type QueryTerm,
  STRETCH_WORDS,
  stretchStarts,
} from './words.ts';

/** What the chains of the searched spaces are made of. Answers must not depend on other spaces. */
export interface Vocabulary {
  /** How many chains contain a stem. */
  frequency(stem: string): number;
  /** Some stems with this beginning, in a fixed order. */
  stemsBeginningWith(beginning: string): string[];
  /** Words of titles and slugs that share one of the slip keys of `word`. */
  nameWordsNear(word: string): string[];
}

/** One way to match a term of the query: the stems that a chain must contain, and their weight. */
export interface Variant {
  stems: string[];
  /** 1: the term itself. */
  factor: number;
  /** Counts only in title, slug and tags. */
  nameOnly: boolean;
}

export interface ResolvedTerm {
  /** As typed. */
  word: string;
  /** How specific the term is: 1 for the rarest. */
  weight: number;
  /** How many chains contain it, or its most common variant. */
  chains: number;
  /** Never empty; the term itself first. */
  variants: Variant[];
}

export interface ResolvedPhrasing {
  key: string;
  words: string[];
  terms: ResolvedTerm[];
  /** The term of each word in order; null for a stop word. */
  sequence: (ResolvedTerm | null)[];
  /** How many stretches of text there are, each with its own vectors. */
  stretches: number;
  /** Words that no chain contains: misspellings, other languages or nonsense. */
  unknown: ReadonlySet<string>;
}

export const SLIP_FACTOR = 0.85;
/** A slip of a word this short makes another word too easily (`life`, `line`): it only helps what else matches. */
const SHORT_LENGTH = 4;
const SHORT_SLIP_FACTOR = 0.25;
const COMPOUND_FACTOR = 0.85;
const RELATIVE_FACTOR = 0.6;
/** Code points that two words must share at their beginning to count as forms of one word... */
const SHARED_LENGTH = 5;
/** ...and that words with one stem must share. Stores find stems by them. */
export const BEGINNING_LENGTH = 4;
const STEM_LENGTH = 3;
const VARIANTS_MAX = 8;

/** Those of Snowball; loaded with the first search. */
export async function loadStemmers(): Promise<Stemmers> {
  return (await import('./snowball.ts')).snowball;
}

/**
 * Resolves the terms of a phrasing to the vocabulary. Words may be written apart or together (`roll back`, `rollback`). A
 * term that no chain contains is tried as a slip of a word in a title or slug, then as another form or a part of a
 * compound of a known word (`datenbank`, `datenbankwiederherstellung`; `fatture`, `fattura`).
 */
export function resolve(
  phrasing: Phrasing,
  vocabulary: Vocabulary,
  stemmers: Stemmers = [],
): ResolvedPhrasing {
  const unknown = phrasing.words.filter((word) => vocabulary.frequency(stem(word)) === 0);
  const terms = phrasing.terms.map((term) => resolveTerm(term, phrasing.words, vocabulary, stemmers));
  const ofStem = new Map(phrasing.terms.map((term, at) => [term.stem, terms[at] as ResolvedTerm]));
  return {
    key: phrasing.key,
    words: phrasing.words,
    terms,
    sequence: phrasing.words.map((word) => (isStopWord(word) ? null : (ofStem.get(stem(word)) ?? null))),
    stretches: phrasing.texts.length,
    unknown: new Set(unknown),
  };
}

/** The terms of each stretch of a phrasing, by which a store finds candidates. Stretches of the same terms count once. */
export function stretchTerms({ sequence }: ResolvedPhrasing): ResolvedTerm[][] {
  const found = new Map<string, ResolvedTerm[]>();
  for (const start of stretchStarts(sequence.length)) {
    const terms = [...new Set(sequence.slice(start, start + STRETCH_WORDS))].filter((term) => term !== null);
    found.set(
      terms
        .map(({ word }) => word)
        .sort()
        .join(' '),
      terms,
    );
  }
  return [...found.values()].filter(({ length }) => length > 0);
}

/** How many chains a store's index hands over to be ranked, for each of so many stretches: fewer for each of many. */
export function candidatesEach(stretches: number): number {
  return Math.max(CANDIDATES_MIN, Math.min(CANDIDATES, Math.floor((4 * CANDIDATES) / stretches)));
}

const CANDIDATES = 48;
const CANDIDATES_MIN = 8;

/** Returns how specific a stem in `chains` chains is, 0 to 1. A stem without a chain counts in full against the query. */
export function termWeight(chains: number): number {
  return 1 / (1 + Math.log(Math.max(1, chains)) / 2);
}

/** The rarest terms: as many as are in `most` chains together, and two at least. */
export function tellingTerms(terms: readonly ResolvedTerm[], most: number): ResolvedTerm[] {
  let found = 0;
  return terms
    .toSorted((left, right) => left.chains - right.chains)
    .filter(({ chains }, at) => {
      found += chains;
      return at < 2 || found <= most;
    });
}

/** Whether two stems are likely forms of one word, or one a compound that begins with the other. */
export function sharesBeginning(left: string, right: string): boolean {
  const a = [...left];
  const b = [...right];
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  if (shared < SHARED_LENGTH) return false;
  return shared === Math.min(a.length, b.length) || shared >= 0.75 * Math.max(a.length, b.length);
}

/** Whether a stemmer of some language gives both the same stem. */
function sharesStem(left: string, right: string, stemmers: Stemmers): boolean {
  const { stems = [] } = stemmers.find(({ script }) => script.test(left)) ?? {};
  return stems.some((stemOf) => {
    const stemmed = stemOf(left);
    return stemmed.length >= STEM_LENGTH && right.startsWith(stemmed) && stemOf(right) === stemmed;
  });
}

function resolveTerm(
  term: QueryTerm,
  words: readonly string[],
  vocabulary: Vocabulary,
  stemmers: Stemmers,
): ResolvedTerm {
  const known = vocabulary.frequency(term.stem);
  const others = compounds(term, words, (found) => vocabulary.frequency(found) > 0).map((stems) =>
    variant(stems, COMPOUND_FACTOR),
  );
  if (known === 0) others.push(...slips(term, vocabulary), ...relatives(term, vocabulary, stemmers));
  const variants = [variant([term.stem], 1), ...others.slice(0, VARIANTS_MAX)];
  const chains = Math.max(...variants.map(({ stems }) => Math.min(...stems.map(vocabulary.frequency))));
  return { word: term.word, weight: termWeight(known > 0 ? known : chains), chains, variants };
}

function slips(term: QueryTerm, vocabulary: Vocabulary): Variant[] {
  const near = vocabulary
    .nameWordsNear(term.word)
    .filter((word) => allowsSlip(word) && withinOneSlip(word, term.word));
  const factors = new Map<string, number>();
  for (const word of near) {
    factors.set(stem(word), [...word].length <= SHORT_LENGTH ? SHORT_SLIP_FACTOR : SLIP_FACTOR);
  }
  return [...factors].map(([found, factor]) => variant([found], factor, true));
}

function relatives(term: QueryTerm, vocabulary: Vocabulary, stemmers: Stemmers): Variant[] {
  const letters = [...term.stem];
  if (letters.length < BEGINNING_LENGTH) return [];
  return vocabulary
    .stemsBeginningWith(letters.slice(0, BEGINNING_LENGTH).join(''))
    .filter(
      (candidate) => sharesBeginning(candidate, term.stem) || sharesStem(term.stem, candidate, stemmers),
    )
    .map((found) => variant([found], RELATIVE_FACTOR));
}

function variant(stems: string[], factor: number, nameOnly = false): Variant {
  return { stems, factor, nameOnly };
}

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

/** In code points. A shorter word has too many neighbours, so a slip could be another word. */
const SLIP_MIN_LENGTH = 4;

/** Whether a word of a title or slug is long enough to be found despite a slip. */
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
 * What a word can be found by despite a slip: itself and each way of leaving out one letter. Two words within one
 * slip always share a key (W. Garbe's symmetric delete); words that share one still need `withinOneSlip`.
 */
export function slipKeys(word: string): string[] {
  const letters = [...word];
  const keys = new Set([word]);
  for (let at = 0; at < letters.length; at += 1) keys.add(letters.toSpliced(at, 1).join(''));
  return [...keys];
}

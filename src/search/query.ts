import { stem } from './stem/stem.ts';
import { isStopWord, phraseKey, words } from './words.ts';

/** The rest is ignored: a query is a few sentences, not a document. */
const PHRASINGS_MAX = 8;
const WORDS_MAX = 48;
const TEXT_MAX_LENGTH = 4096;

/** One phrasing of the request. */
export interface Phrasing {
  /** As typed, without space around. */
  text: string;
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

/** Reads a query as typed: ` | ` separates phrasings; those without a word or sign are dropped. */
export function parseQuery(query: string): Phrasing[] {
  const phrasings = new Map<string, Phrasing>();
  for (const text of query.slice(0, TEXT_MAX_LENGTH).split(/(?:^|\s)\|(?=\s|$)/)) {
    const key = phraseKey(text);
    if (key === '' || phrasings.has(key)) continue;
    const all = words(text).slice(0, WORDS_MAX);
    phrasings.set(key, { text: text.trim(), key, words: all, terms: termsOf(all) });
    if (phrasings.size === PHRASINGS_MAX) break;
  }
  return [...phrasings.values()];
}

function termsOf(list: readonly string[]): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const word of list) {
    const term = stem(word);
    if (!isStopWord(word) && !terms.has(term)) terms.set(term, { stem: term, word });
  }
  return [...terms.values()];
}

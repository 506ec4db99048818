import { countsOf, type SearchDocument } from './document.ts';
import type { ResolvedPhrasing, ResolvedTerm, Variant } from './resolve.ts';
import { allowsSlip, withinOneSlip } from './typo.ts';

export interface Relevance {
  /** 0 (nothing in common) to 1 (called exactly so). */
  score: number;
  match: 'exact' | 'lexical';
}

/** Of chains called exactly so, a title or slug goes before a trigger: triggers are claims that anyone can make. */
export const NAME_SCORE = 1;
const TRIGGER_SCORE = 0.98;
/** Stays below the exact ones even after the quality lift of 8 %. */
export const LEXICAL_MAX = 0.9;
/** One slip away from a whole title or slug. */
const NEAR_NAME_SCORE = 0.88;
/** The same for a name of one word, when what was typed is a word of its own somewhere. */
const DOUBTFUL_NAME_SCORE = 0.5;

/** BM25F's constants for name, summary and body: weight, and pivot length in words. */
const WEIGHTS = [8, 3, 1] as const;
const PIVOTS = [Number.POSITIVE_INFINITY, 80, 250] as const;
const B = 0.75;
const K1 = 2;
/** What is left for a chain that holds one word of several, and not in a prominent place. */
const INCIDENTAL_FACTOR = 0.7;
/** How much of what lacks to 1 is added for a phrase that says just what the query says. */
const PHRASE_SHARE = 0.6;

/**
 * Relevance of one chain to one phrasing, from 0 to 1 and comparable between queries. Exact titles, slugs and triggers
 * come first, then names one slip away. Else it is BM25F (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension
 * to multiple weighted fields", CIKM 2004) divided by the most that the query could reach, hence a weighted coverage:
 *
 *     tf(t) = sum over fields of weight * count / (1 - b + b * max(1, length / pivot))
 *     words = sum of w(t) * tf(t) / (k1 + tf(t))  /  sum of w(t)         w(t) = 1 / (1 + ln(df) / 2)
 *     score = words + (1 - words) * 0.6 * J^2, at most 0.9
 *
 * J is the greatest Jaccard index of the query's stems with those of the title, the slug or one trigger. Unlike in
 * BM25 the weight of a term depends only on how many chains hold it, and the pivots are constants: chains that share
 * no term with the query change no score, and two stores that hold the same chains agree.
 */
export function scoreOf(phrasing: ResolvedPhrasing, document: SearchDocument): Relevance {
  if (document.names.includes(phrasing.key)) return { score: NAME_SCORE, match: 'exact' };
  if (document.triggers.includes(phrasing.key)) return { score: TRIGGER_SCORE, match: 'exact' };
  return { score: Math.max(nearName(phrasing, document), lexical(phrasing, document)), match: 'lexical' };
}

function lexical({ terms }: ResolvedPhrasing, document: SearchDocument): number {
  let reached = 0;
  let possible = 0;
  const found: ResolvedTerm[] = [];
  for (const term of terms) {
    const share = Math.max(...term.variants.map((variant) => saturation(variant, document)));
    possible += term.weight;
    reached += term.weight * share;
    if (share > 0) found.push(term);
  }
  if (reached === 0) return 0;
  const covered = (reached / possible) * (isIncidental(terms, found, document) ? INCIDENTAL_FACTOR : 1);
  return Math.min(LEXICAL_MAX, covered + (1 - covered) * PHRASE_SHARE * closestPhrase(terms, document) ** 2);
}

/** Whether one word of several is all that is found, and not in title, slug or trigger: it may stand there by chance. */
function isIncidental(
  terms: readonly ResolvedTerm[],
  found: readonly ResolvedTerm[],
  { phrases }: SearchDocument,
): boolean {
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || terms.length === 1) return false;
  const stems = only.variants.flatMap((variant) => variant.stems);
  return !phrases.some((phrase) => stems.some((stem) => phrase.includes(stem)));
}

/** All stems of a variant must be there; the weakest counts. */
function saturation({ stems, factor, nameOnly }: Variant, document: SearchDocument): number {
  const frequencies = stems.map((stem) => weightedFrequency(stem, nameOnly, document));
  const tf = Math.min(...frequencies);
  return (factor * tf) / (K1 + tf);
}

function weightedFrequency(stem: string, nameOnly: boolean, document: SearchDocument): number {
  const counts = countsOf(document, stem);
  if (counts === null) return 0;
  let tf = 0;
  for (const [field, weight] of WEIGHTS.entries()) {
    if (nameOnly && field > 0) break;
    const length = (document.lengths[field] ?? 0) / (PIVOTS[field] ?? 1);
    tf += (weight * (counts[field] ?? 0)) / (1 - B + B * Math.max(1, length));
  }
  return tf;
}

function closestPhrase(terms: readonly ResolvedTerm[], document: SearchDocument): number {
  let closest = 0;
  for (const phrase of document.phrases) {
    let shared = 0;
    const covered = new Set<string>();
    for (const { variants } of terms) {
      const found = variants.find(({ stems }) => stems.every((stem) => phrase.includes(stem)));
      if (found === undefined) continue;
      shared += found.factor;
      for (const stem of found.stems) covered.add(stem);
    }
    closest = Math.max(closest, shared / (terms.length + phrase.length - covered.size));
  }
  return closest;
}

function nearName(phrasing: ResolvedPhrasing, document: SearchDocument): number {
  const joined = phrasing.key.replaceAll(' ', '');
  let best = 0;
  for (const name of document.names) {
    if (name.replaceAll(' ', '') === joined) best = Math.max(best, NEAR_NAME_SCORE);
    const expected = name.split(' ');
    const slip = onlySlip(phrasing.words, expected);
    if (slip === null) continue;
    const doubtful = expected.length === 1 && !phrasing.unknown.has(slip);
    best = Math.max(best, doubtful ? DOUBTFUL_NAME_SCORE : NEAR_NAME_SCORE);
  }
  return best;
}

/** The one word that differs, by one slip; null when more or other things differ. */
function onlySlip(typed: readonly string[], expected: readonly string[]): string | null {
  if (typed.length !== expected.length) return null;
  let slip: string | null = null;
  for (const [at, word] of typed.entries()) {
    const right = expected[at] ?? '';
    if (word === right) continue;
    if (slip !== null || !allowsSlip(right) || !withinOneSlip(word, right)) return null;
    slip = word;
  }
  return slip;
}

import type { SearchDocument } from './document.ts';
import { fuseRanks } from './fuse.ts';
import { nearness, type Scale } from './meaning.ts';
import type { Quality } from './quality.ts';
import { qualityLift } from './quality.ts';
import type { ResolvedPhrasing } from './resolve.ts';
import { LEXICAL_MAX, type Relevance, scoreOf } from './score.ts';

/** A chain that may match, with what is needed to judge it. */
export interface Candidate {
  chainId: string;
  slug: string;
  document: SearchDocument;
  quality: Quality;
  /** Cosine with each phrasing; null, or absent, where the chain is not among the `NEAREST` above the model's floor. */
  cosines?: readonly (number | null)[];
}

export interface Ranked<T extends Candidate> {
  candidate: T;
  /** 0 to 1. */
  score: number;
  match: 'exact' | 'lexical' | 'semantic';
}

/** Below this a chain shares words with the query, not its matter. */
export const SCORE_MIN = 0.22;
/** Nor does one match that scores less than this part of the best. */
const SCORE_MIN_OF_BEST = 0.35;
/** How much of what lacks to the most the other phrasings can add. */
const PHRASINGS_SHARE = 0.3;
/** Words that score less than this do not count as support for meaning... */
const SUPPORT_MIN = 0.1;
/** ...which then has to reach this by itself. */
const SEMANTIC_MIN = 0.38;
/** The most that meaning alone can reach. */
const SEMANTIC_MAX = 0.7;
/** What is left of nearness for a phrasing of which no chain holds a word: it may be nonsense, or another language. */
const UNKNOWN_SHARE = 0.65;
/** How much each of the two rankings counts when they are fused. */
const LEXICAL_WEIGHT = 1;
const SEMANTIC_WEIGHT = 0.5;

interface Judged<T extends Candidate> {
  candidate: T;
  /** By words. */
  words: Relevance;
  /** By meaning, 0 to `SEMANTIC_MAX`. */
  meaning: number;
  /** Both together, lifted by quality. */
  score: number;
  /** 1 to 1.08; decides between equal scores. */
  lift: number;
}

/**
 * The chains that match, best first: scored, lifted by quality, cut off where relevance ends. Pure and deterministic:
 * equal scores are ordered by quality, slug and chain id. Scores are rounded to four decimals.
 *
 * With a scale, the ranking by words and the one by meaning are fused by their ranks, behind the exact matches. A score
 * tells how well a chain matches, not its rank; so that it never grows down the list, a chain that the fusion puts
 * behind another gets no more than that one has.
 */
export function rank<T extends Candidate>(
  phrasings: readonly ResolvedPhrasing[],
  candidates: readonly T[],
  limit: number,
  scale?: Scale,
): Ranked<T>[] {
  const judged = candidates
    .map((candidate) => judge(phrasings, candidate, scale))
    .filter(isRelevant)
    .sort(better);
  const least = (judged[0]?.score ?? 0) * SCORE_MIN_OF_BEST;
  const kept = judged.filter(({ score }) => score >= least);
  let most = 1;
  return (scale === undefined ? kept : fuse(kept)).slice(0, limit).map(({ candidate, words, score }) => {
    most = Math.min(most, score);
    return { candidate, score: most, match: words.score >= SCORE_MIN ? words.match : 'semantic' };
  });
}

/**
 * Several phrasings of one wish, merged: the best counts, and each other one that matches too adds to it, so a chain
 * that answers all of them goes before one that answers one.
 */
export function mergePhrasings(found: readonly Relevance[]): Relevance {
  const [best, ...others] = found.toSorted((left, right) => right.score - left.score);
  if (best === undefined) return { score: 0, match: 'lexical' };
  if (best.match === 'exact' || others.length === 0) return best;
  const support = others.reduce((sum, { score }) => sum + score, 0) / others.length;
  return { score: best.score + (LEXICAL_MAX - best.score) * PHRASINGS_SHARE * support, match: best.match };
}

/** Meaning alone must be surer than meaning that words support. */
function isRelevant({ words, meaning, score }: Judged<Candidate>): boolean {
  return score >= SCORE_MIN && (words.score >= SUPPORT_MIN || meaning >= SEMANTIC_MIN);
}

function judge<T extends Candidate>(
  phrasings: readonly ResolvedPhrasing[],
  candidate: T,
  scale: Scale | undefined,
): Judged<T> {
  const words = mergePhrasings(phrasings.map((phrasing) => scoreOf(phrasing, candidate.document)));
  const meaning = scale === undefined ? 0 : meaningOf(phrasings, candidate.cosines ?? [], scale);
  const lift = qualityLift(candidate.quality);
  const lifted = words.match === 'exact' ? words.score : together(words.score, meaning) * lift;
  return { candidate, words, meaning, score: Math.round(lifted * 10_000) / 10_000, lift };
}

function meaningOf(
  phrasings: readonly ResolvedPhrasing[],
  cosines: readonly (number | null)[],
  scale: Scale,
): number {
  const found = phrasings.map((phrasing, at) => {
    const cosine = cosines[at] ?? null;
    return cosine === null ? 0 : nearness(cosine, scale) * SEMANTIC_MAX * sense(phrasing);
  });
  return mergePhrasings(found.map((score) => ({ score, match: 'lexical' }))).score;
}

/**
 * How much a phrasing can be trusted to mean something here: models find something near for nonsense too, so words that
 * no chain holds make nearness count less. A phrasing of stop words only means nothing.
 */
function sense({ terms }: ResolvedPhrasing): number {
  if (terms.length === 0) return 0;
  const known = terms.filter(({ chains }) => chains > 0).length / terms.length;
  return UNKNOWN_SHARE + (1 - UNKNOWN_SHARE) * known;
}

/** Two kinds of evidence that are taken to be independent of each other. */
function together(words: number, meaning: number): number {
  return Math.min(LEXICAL_MAX, 1 - (1 - words) * (1 - meaning));
}

function fuse<T extends Candidate>(judged: readonly Judged<T>[]): Judged<T>[] {
  const rest = judged.filter(({ words }) => words.match !== 'exact');
  const ranked = (scoreOfOne: (one: Judged<T>) => number) =>
    rest
      .filter((one) => scoreOfOne(one) >= SCORE_MIN)
      .sort((left, right) => scoreOfOne(right) - scoreOfOne(left) || better(left, right));
  const sums = fuseRanks([
    { items: ranked(({ words, lift }) => words.score * lift), weight: LEXICAL_WEIGHT },
    { items: ranked(({ meaning, lift }) => meaning * lift), weight: SEMANTIC_WEIGHT },
  ]);
  const sumOf = (one: Judged<T>) => sums.get(one) ?? 0;
  return [
    ...judged.filter(({ words }) => words.match === 'exact'),
    ...rest.toSorted((left, right) => sumOf(right) - sumOf(left) || better(left, right)),
  ];
}

function better(left: Judged<Candidate>, right: Judged<Candidate>): number {
  return (
    right.score - left.score ||
    right.lift - left.lift ||
    compare(left.candidate.slug, right.candidate.slug) ||
    compare(left.candidate.chainId, right.candidate.chainId)
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

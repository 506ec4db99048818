import type { Quality } from '../ports/store.ts';
import type { SearchDocument } from './document.ts';
import { qualityLift } from './quality.ts';
import type { ResolvedPhrasing } from './resolve.ts';
import { LEXICAL_MAX, type Relevance, scoreOf } from './score.ts';

/** A chain that may match, with what is needed to judge it. */
export interface Candidate {
  chainId: string;
  slug: string;
  document: SearchDocument;
  quality: Quality;
}

export interface Ranked<T extends Candidate> extends Relevance {
  candidate: T;
  /** 1 to 1.08; decides between equal scores. */
  lift: number;
}

/** Below this a chain shares words with the query, not its matter. */
export const SCORE_MIN = 0.22;
/** Nor does one match that scores less than this part of the best. */
const SCORE_MIN_OF_BEST = 0.35;
/** How much of what lacks to the most the other phrasings can add. */
const PHRASINGS_SHARE = 0.3;

/**
 * The chains that match, best first: scored, lifted by quality, cut off where relevance ends. Pure and deterministic:
 * equal scores are ordered by quality, slug and chain id. Scores are rounded to four decimals.
 */
export function rank<T extends Candidate>(
  phrasings: readonly ResolvedPhrasing[],
  candidates: readonly T[],
  limit: number,
): Ranked<T>[] {
  const ranked = candidates
    .map((candidate) => ({ candidate, ...relevance(phrasings, candidate) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort(better);
  const least = (ranked[0]?.score ?? 0) * SCORE_MIN_OF_BEST;
  return ranked.filter(({ score }) => score >= least).slice(0, limit);
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

function relevance(
  phrasings: readonly ResolvedPhrasing[],
  candidate: Candidate,
): Relevance & { lift: number } {
  const { score, match } = mergePhrasings(phrasings.map((phrasing) => scoreOf(phrasing, candidate.document)));
  const lift = qualityLift(candidate.quality);
  const lifted = match === 'exact' ? score : score * lift;
  return { score: Math.round(lifted * 10_000) / 10_000, match, lift };
}

function better(left: Ranked<Candidate>, right: Ranked<Candidate>): number {
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

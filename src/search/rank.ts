import { NAME_SCORE, type SearchDocument, TRIGGER_SCORE } from './document.ts';
import type { ResolvedPhrasing } from './resolve.ts';
import { scoreOf, type WordEvidence, wordEvidence } from './score.ts';
import { nearness, type Scale } from './vectors.ts';

/** A chain that may match, with what is needed to judge it. */
export interface SearchCandidate {
  chainId: string;
  slug: string;
  document: SearchDocument;
  quality: Quality;
  /** How near each stretch of each phrasing is; null, or absent, where the chain is not among the `NEAREST`. */
  cosines?: readonly (Cosines | null)[];
}

/** Cosines of one stretch of a phrasing with the vectors of one chain. */
export interface Cosines {
  /** The greatest one with a vector of title, description, steps or one trigger... */
  best: number;
  /** ...and which one that is, as `embeddingTexts` counts. */
  part: number;
  /** With the vector of all of the chain. */
  whole: number;
  /** The greatest one of a sentence of the stretch by itself; 0 when it has one sentence. */
  passage: number;
}

interface Ranked<T extends SearchCandidate> {
  candidate: T;
  /** 0 to 1. */
  score: number;
  match: 'exact' | 'lexical' | 'semantic';
  matchLead: MatchLead;
  why: Why;
}

/** What decides whether a match stands clear of the next one. */
export interface MatchLead {
  /** All evidence, before it is made a score. */
  strength: number;
  /** How far ahead it must be; null when its evidence does not carry the request's own subject. */
  lead: number | null;
  /** Whether the phrasing that fits best names another task with the same object. */
  otherTask: boolean;
}

/** Why a chain matches: the evidence of the phrasing that fits best. */
export interface Why {
  /** Words of the request that the chain contains. */
  words: string[];
  /** The title, slug or trigger that the request comes nearest to, as stems. */
  phrase: string | null;
  /** Nearness by meaning, 0 to 1, and of which text; null without vectors, or when the chain is not near. */
  meaning: { nearness: number; part: number } | null;
}

/** Stays below the exact ones even after the quality lift of 8 %. */
export const LEXICAL_MAX = 0.9;
/** What scores less is only in the list by rounding. */
export const SCORE_MIN = 0.02;
/** How much the second best phrasing adds, as a share of its strength. */
const PHRASINGS_SHARE = 0.15;
/** Weight of the whole chain's vector, and of one sentence of a long request, relative to the nearest text. */
const WHOLE_WORTH = 0.5;
const PASSAGE_WORTH = 0.4;
/** How far ahead a match must be whose title or trigger the request covers, or else shares words and meaning with. */
const SUBJECT_LEAD = 0.2;
const HINT_LEAD = 0.4;
/** Nearness that agrees with words. */
const HINT_NEARNESS = 0.42;

interface Judged<T extends SearchCandidate> {
  candidate: T;
  /** Of the best phrasing. */
  evidence: Evidence;
  strength: number;
  /** 1 to 1.08; decides between equal scores. */
  lift: number;
}

interface Evidence {
  words: WordEvidence;
  meaning: Why['meaning'];
  strength: number;
  /** Enough to be listed. */
  matches: boolean;
  lead: number | null;
}

/**
 * The chains that match, best first: judged, lifted by quality. Pure and deterministic: equal ones are ordered by
 * quality, slug and chain id. Scores are rounded to four decimals.
 *
 * Words and meaning are treated as independent evidence: their strengths add up, and a score is
 * `1 - e^-strength`. A score never grows down the list.
 */
export function rank<T extends SearchCandidate>(
  phrasings: readonly ResolvedPhrasing[],
  candidates: readonly T[],
  limit: number,
  scale?: Scale,
): Ranked<T>[] {
  const judged = candidates
    .flatMap((candidate) => judge(phrasings, candidate, scale) ?? [])
    .sort(better)
    .slice(0, limit);
  let most = 1;
  return judged.map(({ candidate, evidence: { words, meaning, lead }, strength, lift }) => {
    const isExact = words.called >= TRIGGER_SCORE;
    const score = isExact ? words.called : Math.min(LEXICAL_MAX, scoreOf(strength)) * lift;
    most = Math.min(most, Math.round(score * 10_000) / 10_000);
    return {
      candidate,
      score: most,
      match: isExact ? 'exact' : words.matches ? 'lexical' : 'semantic',
      matchLead: { strength: strength * lift, lead, otherTask: words.otherTask },
      why: { words: words.words, phrase: words.phrase, meaning },
    };
  });
}

/**
 * Several phrasings of one wish: the best counts, and the others that match too add to it, so a chain that answers all of
 * them goes before one that answers one.
 */
function judge<T extends SearchCandidate>(
  phrasings: readonly ResolvedPhrasing[],
  candidate: T,
  scale: Scale | undefined,
): Judged<T> | null {
  let first = 0;
  const found = phrasings
    .map((phrasing) => {
      const stretches = candidate.cosines?.slice(first, first + phrasing.stretches) ?? [];
      first += phrasing.stretches;
      return evidenceOf(phrasing, candidate.document, stretches, scale);
    })
    .sort((left, right) => right.words.called - left.words.called || right.strength - left.strength);
  const [best, ...others] = found;
  if (best === undefined || !found.some(({ matches }) => matches)) return null;
  // Each further one counts half of the one before, so that one more never reduces the sum.
  const support = others.reduce(
    (sum, { strength }, at) => sum + Math.min(strength, best.strength) / 2 ** at,
    0,
  );
  const strength = best.strength + PHRASINGS_SHARE * support;
  if (scoreOf(strength) < SCORE_MIN) return null;
  const leads = found.flatMap(({ lead }) => lead ?? []);
  const lead = leads.length === 0 ? null : Math.min(...leads);
  return { candidate, evidence: { ...best, lead }, strength, lift: qualityLift(candidate.quality) };
}

function evidenceOf(
  phrasing: ResolvedPhrasing,
  document: SearchDocument,
  stretches: readonly (Cosines | null)[],
  scale: Scale | undefined,
): Evidence {
  const words = wordEvidence(phrasing, document);
  const [near = null] = stretches
    .map((cosines) => meaningOf(phrasing, cosines, scale))
    .filter((each) => each !== null)
    .sort((left, right) => right.strength - left.strength);
  const hints = words.hint && near !== null && near.nearness >= HINT_NEARNESS;
  return {
    words,
    meaning: near === null ? null : { nearness: near.nearness, part: near.part },
    strength: words.called === NAME_SCORE ? words.strength : words.strength + (near?.strength ?? 0),
    matches: words.matches || near !== null,
    lead: words.subject ? SUBJECT_LEAD : hints ? HINT_LEAD : null,
  };
}

/** Meaning alone is never enough to stand clear, and a phrasing of stop words only means nothing. */
function meaningOf(
  { terms }: ResolvedPhrasing,
  cosines: Cosines | null,
  scale: Scale | undefined,
): { nearness: number; part: number; strength: number } | null {
  if (cosines === null || scale === undefined || terms.length === 0) return null;
  const [best, whole, passage] = [cosines.best, cosines.whole, cosines.passage].map((cosine) =>
    nearness(cosine, scale),
  ) as [number, number, number];
  const strength = best + WHOLE_WORTH * whole + PASSAGE_WORTH * passage;
  return strength === 0 ? null : { nearness: Math.max(best, passage), part: cosines.part, strength };
}

function better(left: Judged<SearchCandidate>, right: Judged<SearchCandidate>): number {
  return (
    exactness(right) - exactness(left) ||
    compareNumbers(right.strength * right.lift, left.strength * left.lift) ||
    right.lift - left.lift ||
    compare(left.candidate.slug, right.candidate.slug) ||
    compare(left.candidate.chainId, right.candidate.chainId)
  );
}

function exactness({ evidence: { words } }: Judged<SearchCandidate>): number {
  return words.called >= TRIGGER_SCORE ? words.called : 0;
}

/** As numbers, where both may be infinite. */
function compareNumbers(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Outcomes of runs of a chain, counted by attest. */
export interface Quality {
  runs: number;
  successes: number;
  /** Sum of clamped bonuses. */
  bonus: number;
}

/** Most that a good record adds to a score, as a share of it. */
const LIFT_MAX = 0.08;
/** Fewer runs don't count. */
const RUNS_MIN = 3;
/** 95 % confidence. */
const Z = 1.96;

/**
 * The factor, 1 to 1.08, by which a record of attested runs lifts a score (SPEC 3.9). It grows with the lower bound of
 * the success rate at 95 % confidence (E. B. Wilson 1927), bonuses counting as parts of successes: a long good record
 * lifts more than a short one, a bad one does not lift, none ever lowers.
 */
export function qualityLift({ runs, successes, bonus }: Quality): number {
  if (runs < RUNS_MIN) return 1;
  const rate = Math.min(1, Math.max(0, (successes + bonus) / runs));
  const spread = Z * Math.sqrt((rate * (1 - rate)) / runs + (Z * Z) / (4 * runs * runs));
  const lowerBound = (rate + (Z * Z) / (2 * runs) - spread) / (1 + (Z * Z) / runs);
  return 1 + LIFT_MAX * Math.max(0, lowerBound);
}

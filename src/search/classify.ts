import type { MatchLead, Why } from './rank.ts';
import { stem } from './stem.ts';
import { words } from './words.ts';

export interface ChainSummary {
  chainId: string;
  space: string;
  slug: string;
  title: string;
  version: string | null;
  tags: string[];
  stepCount: number;
  digest: string;
  revision: number;
  updatedAt: string;
}

export interface SearchHit {
  chain: ChainSummary;
  /** Relevance from 0 to 1, comparable between queries. */
  score: number;
  /** What made it match: an exact title, slug or trigger, or words (meaning may have helped), or meaning alone. */
  match: 'exact' | 'lexical' | 'semantic';
  matchLead: MatchLead;
  why: Why;
}

/**
 * Whether the first hit stands clear of all others, so that it can be begun without a choice. The hits are sorted best first.
 * An exact title or slug always stands clear of matches by words or trigger. An exact trigger does if no other chain has it.
 * Otherwise the evidence must cover the subject of the request and be far enough ahead.
 */
export function isClearMatch(hits: readonly Pick<SearchHit, 'score' | 'match' | 'matchLead'>[]): boolean {
  const [best, next] = hits;
  if (best === undefined) return false;
  if (best.match === 'exact') return next?.match !== 'exact' || next.score < best.score;
  const { lead, strength } = best.matchLead;
  return lead !== null && strength - (next?.matchLead.strength ?? 0) >= lead;
}

/**
 * Evidence from which title and description, searched for, point to a protocol that may describe the same task. Of 263 and 131
 * different protocols 5 and 0 reach it (docs/search.md).
 */
const SAME_STRENGTH = 2;

/** Whether a protocol that another one finds may be the same procedure in other words, and not another task with its object. */
export function mayBeTheSame({ match, matchLead }: Pick<SearchHit, 'match' | 'matchLead'>): boolean {
  return match === 'exact' || (!matchLead.otherTask && matchLead.strength >= SAME_STRENGTH);
}

/** Share of common words from which a title with one more word is the same title. */
const ALIKE_SHARE = 0.8;
const LITTLE_WORDS = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'and', 'in', 'on', 'with']);

/**
 * Whether two titles are the same except for little words, inflection, and a few more words in one of them. Titles
 * that both contain a word that the other lacks differ ("Import customers", "Export customers"), as do those in another order
 * ("from A to B", "from B to A").
 */
export function areTitlesAlike(left: string, right: string): boolean {
  const [shorter, longer] = [titleStems(left), titleStems(right)].sort((a, b) => a.length - b.length);
  if (!shorter?.length || !longer || shorter.length < ALIKE_SHARE * longer.length) return false;
  let found = 0;
  for (const word of longer) if (word === shorter[found]) found += 1;
  return found === shorter.length;
}

function titleStems(title: string): string[] {
  return words(title)
    .filter((word) => !LITTLE_WORDS.has(word))
    .map(stem);
}

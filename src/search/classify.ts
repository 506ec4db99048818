import type { MatchLead, Why } from './rank.ts';

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
  standing: MatchLead;
  why: Why;
}

/**
 * Whether the first of the hits, which are sorted best first, stands clear of all others, so that it can be begun
 * without a choice. A title or slug given exactly does, whatever else matches by words or trigger; a trigger does when
 * no other chain is called so too. Else its evidence must carry the subject of the request, and be far enough ahead.
 */
export function isClearMatch(hits: readonly Pick<SearchHit, 'score' | 'match' | 'standing'>[]): boolean {
  const [best, next] = hits;
  if (best === undefined) return false;
  if (best.match === 'exact') return next?.match !== 'exact' || next.score < best.score;
  const { lead, strength } = best.standing;
  return lead !== null && strength - (next?.standing.strength ?? 0) >= lead;
}

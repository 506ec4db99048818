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
}

import { NAME_SCORE } from './score.ts';

/** A clear lexical match scores at least this... */
const CLEAR_MIN = 0.55;
/** ...and the next one at most this part of it. */
const CLEAR_RATIO = 0.75;

/**
 * Whether the first of the hits, which are sorted best first, stands clear of all others, so that it can be begun
 * without a choice. A title or slug given exactly does, whatever else matches by words or trigger; a trigger does when
 * no other chain is called so too; words do when they fit well and nothing else comes near.
 */
export function standsClear(hits: readonly Pick<SearchHit, 'score' | 'match'>[]): boolean {
  const [best, next] = hits;
  if (best === undefined) return false;
  if (best.match === 'exact') {
    return (
      next === undefined || next.match !== 'exact' || (best.score === NAME_SCORE && next.score < NAME_SCORE)
    );
  }
  return best.score >= CLEAR_MIN && (next === undefined || next.score <= best.score * CLEAR_RATIO);
}

import type { SearchHit } from '../ports/store.ts';
import { NAME_SCORE } from './score.ts';

/** What a search came to, as `protocol_status` of `kairos_search` says it. */
export interface Classified<T> {
  /** `match`: exactly one hit stands clear. `partial_match`: hits, but a choice is needed. */
  status: 'match' | 'partial_match' | 'no_protocol';
  /** The hit to start with, when the status is `match`. */
  clear: T | null;
}

/** A clear lexical match scores at least this... */
const CLEAR_MIN = 0.55;
/** ...and the next one at most this part of it. */
const CLEAR_RATIO = 0.75;

/**
 * Whether exactly one match stands clear. A title or slug given exactly does, whatever else matches by words or
 * trigger; a trigger does when no other chain is called so too; words do when they fit well and nothing else comes near.
 */
export function classify<T extends Pick<SearchHit, 'score' | 'match'>>(hits: readonly T[]): Classified<T> {
  const [best, next] = hits;
  if (best === undefined) return { status: 'no_protocol', clear: null };
  return isClear(best, next) ? { status: 'match', clear: best } : { status: 'partial_match', clear: null };
}

function isClear(
  best: Pick<SearchHit, 'score' | 'match'>,
  next?: Pick<SearchHit, 'score' | 'match'>,
): boolean {
  if (best.match === 'exact') {
    return (
      next === undefined || next.match !== 'exact' || (best.score === NAME_SCORE && next.score < NAME_SCORE)
    );
  }
  return best.score >= CLEAR_MIN && (next === undefined || next.score <= best.score * CLEAR_RATIO);
}

import { KairosError } from '../../base/errors.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { ChainSummary } from '../../search/classify.ts';
import type { SearchDocument } from '../../search/document.ts';
import type { Quality } from '../../search/quality.ts';
import type { Payload, Point, Points, Stored } from './api.ts';
import { type Kind, storable } from './ids.ts';
import { searchPayload, searchVectors } from './search-point.ts';
import { swap, untilWon, type Version, versionOf } from './swap.ts';

/** A content of a chain, and its point. */
export interface KeptRevision {
  /** 0: unlisted. */
  number: number;
  digest: string;
  point: string;
}

/**
 * Everything about a chain except the contents of its revisions, in one point: only what it names exists. So
 * one compare-and-swap decides about head, history and counts together, and remains of a conflict or a crash
 * are never visible.
 */
export interface ChainState {
  chainId: string;
  space: string;
  /** By number, unlisted ones first and in the order in which they came. */
  revisions: KeptRevision[];
  quality: (Quality & { digest: string })[];
  /** Most steps that any revision has. */
  steps: number;
  /** Null when the chain is deleted or was never listed. */
  head: { summary: ChainSummary; document: SearchDocument } | null;
  /** Null when there is no point yet. */
  version: Version | null;
}

/** Keys of a chain's point, without those that only help to find it. */
export const CHAIN_KEYS = ['space', 'state', 'summary', 'document', 'version', 'writers'];

/** The current chain; a chain without a point is empty. */
export async function readChain(points: Points, chainId: string): Promise<ChainState> {
  const [stored] = await points.get([chainId], CHAIN_KEYS);
  if (stored !== undefined) return toState(stored);
  return { chainId, space: '', revisions: [], quality: [], steps: 0, head: null, version: null };
}

/** What a change makes of a chain; without `next` nothing is written. */
export interface Change<T> {
  next?: ChainState;
  answer: T;
}

/** Decides on the current chain and writes the result, again until no other writer interferes. */
export function changeChain<T>(
  points: Points,
  chainId: string,
  decide: (state: ChainState) => Promise<Change<T>> | Change<T>,
): Promise<T> {
  return untilWon<{ answer: T }>(points, async () => {
    const state = await readChain(points, chainId);
    const { next, answer } = await decide(state);
    if (next === undefined || (await swap(points, toPoint(next), state.version))) return { answer };
    return null;
  }).then(({ answer }) => answer);
}

/** A chain from its point, with `CHAIN_KEYS` at least. */
export function toState({ id, payload }: Stored): ChainState {
  const { space, state, summary, document } = payload as Payload;
  return {
    chainId: String(id),
    space: String(space),
    ...(readJson(state, id) as Pick<ChainState, 'revisions' | 'quality' | 'steps'>),
    head:
      summary === undefined
        ? null
        : {
            summary: readJson(summary, id) as ChainSummary,
            document: readJson(document, id) as SearchDocument,
          },
    version: versionOf(payload),
  };
}

function toPoint({ chainId, space, revisions, quality, steps, head }: ChainState): Point {
  const kind: Kind = 'chain';
  const own = {
    kind,
    space: storable(space),
    live: head !== null,
    steps: Array.from({ length: steps }, (_, at) => stepUuid(chainId, at + 1)),
    // As text: numbers come back exactly.
    state: JSON.stringify({ revisions, quality, steps }),
  };
  if (head === null) return { id: chainId, vector: {}, payload: own };
  const { summary, document } = head;
  return {
    id: chainId,
    vector: searchVectors(document),
    payload: {
      ...own,
      slug: storable(summary.slug),
      summary: JSON.stringify(summary),
      document: JSON.stringify(document),
      ...searchPayload(document),
    },
  };
}

/** Reads JSON that kairos wrote. Throws STORE_DAMAGED when another program put something else in its place. */
export function readJson(text: unknown, id: Stored['id']): unknown {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw new KairosError(
      'STORE_DAMAGED',
      `point ${id} has been changed in the store: it is not readable any more`,
      {
        hint: 'Restore the collection from a snapshot; its other content can still be exported and verified.',
        cause,
      },
    );
  }
}

import { sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { ChainSummary } from '../../search/classify.ts';
import { allCounts, SEARCH_FORMAT, type SearchDocument } from '../../search/document.ts';
import type { Quality } from '../../search/rank.ts';
import { saturated, weightedFrequency } from '../../search/score.ts';
import type { Payload, Points, QdrantPoint, Stored } from './api.ts';
import { type Kind, storable, swap, untilWon, type Version, versionOf } from './ids.ts';

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
export async function readChainPoint(points: Points, chainId: string): Promise<ChainState> {
  const [stored] = await points.get([chainId], CHAIN_KEYS);
  if (stored !== undefined) return toState(stored);
  return { chainId, space: '', revisions: [], quality: [], steps: 0, head: null, version: null };
}

/** The result of a change to a chain. Without `next`, nothing is written. */
interface ChainChange<T> {
  next?: ChainState;
  answer: T;
}

/** Decides on the current chain and writes the result, again until no other writer interferes. */
export function changeChain<T>(
  points: Points,
  chainId: string,
  decide: (state: ChainState) => Promise<ChainChange<T>> | ChainChange<T>,
): Promise<T> {
  return untilWon<{ answer: T }>(points, async () => {
    const state = await readChainPoint(points, chainId);
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

function toPoint({ chainId, space, revisions, quality, steps, head }: ChainState): QdrantPoint {
  const kind: Kind = 'chain';
  const own = {
    kind,
    space: storable(space),
    live: head !== null,
    steps: Array.from({ length: steps }, (_, at) => stepUuid(chainId, at + 1)),
    // As text, because it keeps numbers exactly.
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

/** The keys by which a chain is found. */
export function searchPayload(document: SearchDocument): Payload {
  const counts = allCounts(document);
  return {
    search_format: SEARCH_FORMAT,
    stems: counts.map(([stem]) => stem),
    head_stems: counts.filter(([, [name, summary]]) => name + summary > 0).map(([stem]) => stem),
    phrases: [...new Set(phraseKeys(document).map(phraseHash))],
  };
}

/**
 * A chain as a sparse vector: the weight of each stem as the ranking has it, so the server's order of candidates comes near
 * the final one. The server multiplies it with the stem's inverse document frequency (modifier `idf`).
 */
export function searchVectors(document: SearchDocument): { bm25?: { indices: number[]; values: number[] } } {
  const weights = new Map<number, number>();
  for (const [stem, counts] of allCounts(document)) {
    const index = stemIndex(stem);
    weights.set(index, (weights.get(index) ?? 0) + saturated(weightedFrequency(counts, document), 1));
  }
  return weights.size === 0 ? {} : { bm25: { indices: [...weights.keys()], values: [...weights.values()] } };
}

/** Place of a stem in sparse vectors. Two stems may share one: that makes a candidate more, never a match. */
export function stemIndex(stem: string): number {
  return Number.parseInt(sha256Hex(stem).slice(0, 8), 16);
}

/** The lookup key of a phrase with any characters. */
export function phraseHash(key: string): string {
  return sha256Hex(key).slice(0, 32);
}

/** Names are also found when they are written together. */
function phraseKeys({ names, triggers }: SearchDocument): string[] {
  return [...names, ...names.map((name) => name.replaceAll(' ', '')), ...triggers];
}

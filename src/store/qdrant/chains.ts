import { randomUUID } from 'node:crypto';
import type { ChainContent } from '../../protocol/model.ts';
import type { ChainSummary } from '../../search/classify.ts';
import type { Quality } from '../../search/rank.ts';
import type { Revision } from '../port.ts';
import type { Points } from './api.ts';
import {
  CHAIN_KEYS,
  type ChainState,
  changeChain,
  type KeptRevision,
  readChainPoint,
  readJson,
  toState,
} from './chain-point.ts';
import { qdrantUnavailable } from './failures.ts';
import { is, isOneOf, type Kind, type Known, ofKind } from './ids.ts';

/** Live chains of the spaces, by slug, then chain id. */
export async function fetchChainSummaries(
  points: Points,
  spaces: readonly string[],
): Promise<ChainSummary[]> {
  if (spaces.length === 0) return [];
  const found: ChainSummary[] = [];
  const filter = ofKind('chain', isOneOf('space', spaces), is('live', true));
  for await (const { id, payload } of points.all(filter, ['summary'])) {
    found.push(readJson(payload?.summary, id) as ChainSummary);
  }
  return found.sort((a, b) => compare(a.slug, b.slug) || compare(a.chainId, b.chainId));
}

/** See `ChainStore.chainsAfter`. The server itself lists by id. */
export async function fetchChainsAfter(
  points: Points,
  space: string,
  after: string | null,
  limit: number,
): Promise<ChainSummary[]> {
  const found: ChainSummary[] = [];
  const filter = ofKind('chain', is('space', space), is('live', true));
  for await (const page of points.pages(filter, ['summary'], after ?? undefined)) {
    for (const { id, payload } of page) {
      if (String(id) !== after) found.push(readJson(payload?.summary, id) as ChainSummary);
      if (found.length === limit) return found;
    }
  }
  return found;
}

/** Spaces that contain a chain, by name. */
export async function fetchSpaces(points: Points): Promise<{ name: string; chainCount: number }[]> {
  const counts = await points.countBy('space', ofKind('chain', is('live', true)));
  return [...counts]
    .map(([name, chainCount]) => ({ name, chainCount }))
    .sort((a, b) => compare(a.name, b.name));
}

/** Unlists a chain; revisions, steps' names and runs stay. */
export function deleteChainPoint(points: Points, chainId: string): Promise<boolean> {
  return changeChain(points, chainId, (state) =>
    state.head === null ? { answer: false } : { next: { ...state, head: null }, answer: true },
  );
}

/** The chain and 1-based step of any UUID ever returned. */
export async function fetchStep(
  points: Points,
  uuid: string,
  known: Known,
): Promise<{ chainId: string; index: number } | null> {
  const [found] = await points.first(ofKind('chain', is('steps', uuid)), ['steps'], 1);
  if (found === undefined) return null;
  const steps = found.payload?.steps as string[];
  const chainId = String(found.id);
  for (const [at, step] of steps.entries()) known.steps.set(step, { chainId, index: at + 1 });
  return { chainId, index: steps.indexOf(uuid) + 1 };
}

/** Counts one attested run on a revision; `bonus` is clamped to -1..1. */
export function rateChainPoint(
  points: Points,
  chainId: string,
  digest: string,
  outcome: 'success' | 'failure',
  bonus: number,
): Promise<void> {
  return changeChain(points, chainId, (state) => {
    const before = state.quality.find((quality) => quality.digest === digest);
    const counted = {
      digest,
      runs: (before?.runs ?? 0) + 1,
      successes: (before?.successes ?? 0) + (outcome === 'success' ? 1 : 0),
      bonus: (before?.bonus ?? 0) + Math.max(-1, Math.min(1, bonus)),
    };
    const others = state.quality.filter((quality) => quality.digest !== digest);
    return {
      next: { ...state, quality: [...others, counted].sort((a, b) => compare(a.digest, b.digest)) },
      answer: undefined,
    };
  });
}

/** Outcomes of all runs of a chain, for every revision. */
export async function fetchQuality(points: Points, chainId: string): Promise<Quality> {
  const state = await readChainPoint(points, chainId);
  const total = { runs: 0, successes: 0, bonus: 0 };
  for (const { runs, successes, bonus } of state.quality) {
    total.runs += runs;
    total.successes += successes;
    total.bonus += bonus;
  }
  return total;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The newest listed revision of a chain; null when it is unknown or deleted. */
export async function fetchHead(points: Points, chainId: string, known: Known): Promise<Revision | null> {
  return headOfState(points, await readChainPoint(points, chainId), known);
}

export async function fetchHeadBySlug(
  points: Points,
  space: string,
  slug: string,
  known: Known,
): Promise<Revision | null> {
  const filter = ofKind('chain', is('space', space), is('slug', slug), is('live', true));
  const [found] = await points.first(filter, CHAIN_KEYS, 1);
  return found === undefined ? null : headOfState(points, toState(found), known);
}

/** A content that was kept; the last listing of it, if it was ever listed. */
export async function fetchRevisionByDigest(
  points: Points,
  chainId: string,
  digest: string,
  known: Known,
): Promise<Revision | null> {
  const state = await readChainPoint(points, chainId);
  const kept = state.revisions.findLast((revision) => revision.digest === digest);
  return kept === undefined ? null : readRevision(points, state, kept, known);
}

/** Everything that was ever kept of a chain: unlisted ones first, then by number. */
export async function fetchRevisions(points: Points, chainId: string): Promise<Revision[]> {
  const state = await readChainPoint(points, chainId);
  return readRevisions(points, [{ state, kept: state.revisions }]);
}

/** The live head of a chain that was read. */
export async function headOfState(
  points: Points,
  state: ChainState,
  known?: Known,
): Promise<Revision | null> {
  const number = state.head?.summary.revision;
  const kept = state.revisions.find((revision) => revision.number === number && number !== 0);
  return kept === undefined ? null : readRevision(points, state, kept, known);
}

/** One revision; its content is not fetched again. */
async function readRevision(
  points: Points,
  state: ChainState,
  kept: KeptRevision,
  known?: Known,
): Promise<Revision | null> {
  const before = known?.revisions.get(`${state.chainId} ${kept.digest}`);
  if (before?.number === kept.number) return before;
  const [revision = null] = await readRevisions(points, [{ state, kept: [kept] }]);
  if (revision !== null) known?.learnRevision(revision);
  return revision;
}

interface WantedRevisions {
  state: Pick<ChainState, 'chainId' | 'space'>;
  kept: readonly KeptRevision[];
}

/** Contents of revisions of chains that were read, in the order asked for. */
export async function readRevisions(points: Points, wanted: readonly WantedRevisions[]): Promise<Revision[]> {
  const listed = wanted.flatMap(({ state, kept }) => kept.map((one) => ({ ...state, ...one })));
  const stored = await points.get(
    listed.map(({ point }) => point),
    ['revision', 'content'],
  );
  const byId = new Map(stored.map(({ id, payload }) => [String(id), payload]));
  return listed.map(({ chainId, space, number, digest, point }) => {
    const payload = byId.get(point);
    if (!payload) {
      throw qdrantUnavailable(
        points.place,
        `has lost revision ${digest}`,
        'Restore the collection from a snapshot, or wait until all of its nodes are up.',
      );
    }
    return {
      digest,
      chainId,
      space,
      number,
      content: readJson(payload.content, point) as ChainContent,
      ...(readJson(payload.revision, point) as Pick<
        Revision,
        'author' | 'llmModelId' | 'createdAt' | 'weakened'
      >),
    };
  });
}

/** Writes the contents of revisions, unreadable until a chain names their points. Returns these. */
export async function writeRevisions(
  points: Points,
  list: readonly Omit<Revision, 'number'>[],
): Promise<string[]> {
  const kind: Kind = 'revision';
  const ids = list.map(() => randomUUID());
  await points.insert(
    list.map(({ content, author, llmModelId, createdAt, weakened }, at) => ({
      id: ids[at] ?? '',
      vector: {},
      payload: {
        kind,
        revision: JSON.stringify({ author, llmModelId, createdAt, weakened }),
        content: JSON.stringify(content),
      },
    })),
  );
  return ids;
}

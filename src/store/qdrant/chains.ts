import type { ChainSummary } from '../../search/classify.ts';
import type { Quality } from '../../search/quality.ts';
import type { Points } from './api.ts';
import { changeChain, readChain, readJson } from './chain-point.ts';
import { is, isOneOf, ofKind } from './ids.ts';

/** Live chains of the spaces, by slug, then chain id. */
export async function listChains(points: Points, spaces: readonly string[]): Promise<ChainSummary[]> {
  if (spaces.length === 0) return [];
  const found: ChainSummary[] = [];
  const filter = ofKind('chain', isOneOf('space', spaces), is('live', true));
  for await (const { id, payload } of points.all(filter, ['summary'])) {
    found.push(readJson(payload?.summary, id) as ChainSummary);
  }
  return found.sort((a, b) => compare(a.slug, b.slug) || compare(a.chainId, b.chainId));
}

/** See `ChainStore.chainsAfter`. The server itself lists by id. */
export async function chainsAfter(
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
export async function listSpaces(points: Points): Promise<{ name: string; chainCount: number }[]> {
  const counts = await points.countBy('space', ofKind('chain', is('live', true)));
  return [...counts]
    .map(([name, chainCount]) => ({ name, chainCount }))
    .sort((a, b) => compare(a.name, b.name));
}

/** Unlists a chain; revisions, steps' names and runs stay. */
export function deleteChain(points: Points, chainId: string): Promise<boolean> {
  return changeChain(points, chainId, (state) =>
    state.head === null ? { answer: false } : { next: { ...state, head: null }, answer: true },
  );
}

/** The chain and 1-based step of any UUID ever returned. */
export async function resolveStep(
  points: Points,
  uuid: string,
): Promise<{ chainId: string; index: number } | null> {
  const [found] = await points.first(ofKind('chain', is('steps', uuid)), ['steps'], 1);
  if (found === undefined) return null;
  const steps = found.payload?.steps as string[];
  return { chainId: String(found.id), index: steps.indexOf(uuid) + 1 };
}

/** Counts one attested run on a revision; `bonus` is clamped to -1..1. */
export function rate(
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
export async function quality(points: Points, chainId: string): Promise<Quality> {
  const state = await readChain(points, chainId);
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

import { randomUUID } from 'node:crypto';
import type { ChainContent } from '../../protocol/model.ts';
import type { Revision } from '../port.ts';
import type { Points } from './api.ts';
import { type ChainState, type KeptRevision, readChain, readJson } from './chain-point.ts';
import { unavailable } from './errors.ts';
import { is, type Kind, ofKind } from './ids.ts';

/** The newest listed revision of a chain; null when it is unknown or deleted. */
export async function head(points: Points, chainId: string): Promise<Revision | null> {
  return headOf(points, await readChain(points, chainId));
}

export async function headBySlug(points: Points, space: string, slug: string): Promise<Revision | null> {
  const filter = ofKind('chain', is('space', space), is('slug', slug), is('live', true));
  const [found] = await points.first(filter, ['kind'], 1);
  return found === undefined ? null : head(points, String(found.id));
}

/** A content that was kept; the last listing of it, if it was ever listed. */
export async function revisionByDigest(
  points: Points,
  chainId: string,
  digest: string,
): Promise<Revision | null> {
  const state = await readChain(points, chainId);
  const kept = state.revisions.findLast((revision) => revision.digest === digest);
  return kept === undefined ? null : ((await readRevisions(points, state, [kept]))[0] ?? null);
}

/** All that was ever kept of a chain: unlisted ones first, then by number. */
export async function revisions(points: Points, chainId: string): Promise<Revision[]> {
  const state = await readChain(points, chainId);
  return readRevisions(points, state, state.revisions);
}

/** The live head of a chain that was read. */
export async function headOf(points: Points, state: ChainState): Promise<Revision | null> {
  const number = state.head?.summary.revision;
  const kept = state.revisions.find((revision) => revision.number === number && number !== 0);
  return kept === undefined ? null : ((await readRevisions(points, state, [kept]))[0] ?? null);
}

/** Contents of revisions of a chain that was read, in the order asked for. */
export async function readRevisions(
  points: Points,
  { chainId, space }: ChainState,
  kept: readonly KeptRevision[],
): Promise<Revision[]> {
  const stored = await points.get(
    kept.map(({ point }) => point),
    ['revision', 'content'],
  );
  const byId = new Map(stored.map(({ id, payload }) => [String(id), payload]));
  return kept.map(({ number, digest, point }) => {
    const payload = byId.get(point);
    if (!payload) {
      throw unavailable(
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

import { KairosError } from '../../base/errors.ts';
import { SEARCH_FORMAT, toSearchDocument } from '../../search/document.ts';
import type { NewRevision, Revision } from '../port.ts';
import type { Points } from './api.ts';
import { type ChainState, changeChain } from './chain-point.ts';
import { headOfState, writeRevisions } from './chains.ts';
import { is, ofKind } from './ids.ts';
import type { SpaceWords } from './vocabulary.ts';

/** See `ChainStore.putRevision`. */
export async function putRevisionPoint(
  points: Points,
  words: SpaceWords,
  revision: NewRevision,
  expectedHead: string | null,
): Promise<'stored' | 'unchanged' | 'conflict'> {
  let point: string | undefined;
  const outcome = await changeChain(points, revision.chainId, async (state) => {
    requireSpace(state, revision);
    const verdict = judge(state, revision, expectedHead);
    if (verdict !== 'stored') return { answer: verdict };
    if (revision.listed) await requireFreeSlugPoint(points, revision);
    point ??= (await writeRevisions(points, [revision]))[0] ?? '';
    const next = withRevision(state, revision, point);
    if (next.head !== null) await words.learn(points, revision.space, next.head.document);
    return { next, answer: verdict };
  });
  if (outcome !== 'stored' && point !== undefined) await points.remove([point]);
  return outcome;
}

/** The summary and search document that make a revision a head. */
export function asHead(revision: Revision): NonNullable<ChainState['head']> {
  const { chainId, space, digest, number, createdAt, content } = revision;
  const { slug, title, version, tags, steps } = content;
  return {
    summary: {
      chainId,
      space,
      slug,
      title,
      version,
      tags,
      stepCount: steps.length,
      digest,
      revision: number,
      updatedAt: createdAt,
    },
    document: toSearchDocument(content),
  };
}

/** Chain ids come from space and slug, so this only guards against a caller with its own ids. */
export async function requireFreeSlugPoint(
  points: Points,
  { space, content, chainId }: Pick<Revision, 'chainId' | 'space' | 'content'>,
): Promise<void> {
  const filter = ofKind('chain', is('space', space), is('slug', content.slug), is('live', true));
  for (const { id } of await points.first(filter, ['kind'], 2)) {
    if (id === chainId) continue;
    throw new KairosError('DUPLICATE_CHAIN', `the slug ${content.slug} belongs to chain ${id}`, {
      hint: 'Compare with kairos_dump first; then choose another slug.',
    });
  }
}

function requireSpace({ chainId, space }: ChainState, revision: NewRevision): void {
  if (space === '' || space === revision.space) return;
  throw new KairosError('INTERNAL', `chain ${chainId} belongs to another space than ${revision.space}`);
}

function judge(
  { head, revisions }: ChainState,
  { digest, listed }: NewRevision,
  expectedHead: string | null,
): 'stored' | 'unchanged' | 'conflict' {
  if (!listed) return revisions.some((kept) => kept.digest === digest) ? 'unchanged' : 'stored';
  const current = head?.summary.digest ?? null;
  if (current === digest) return 'unchanged';
  return current === expectedHead ? 'stored' : 'conflict';
}

function withRevision(state: ChainState, revision: NewRevision, point: string): ChainState {
  const { digest, space, content, listed } = revision;
  const unlisted = state.revisions.filter((kept) => kept.number === 0);
  const numbered = state.revisions.filter((kept) => kept.number > 0);
  const number = listed ? (numbered.at(-1)?.number ?? 0) + 1 : 0;
  const added = { number, digest, point };
  return {
    ...state,
    space,
    revisions: listed ? [...unlisted, ...numbered, added] : [...unlisted, added, ...numbered],
    steps: Math.max(state.steps, content.steps.length),
    head: listed ? asHead({ ...revision, number }) : state.head,
  };
}

/** Indexes again what an older build has indexed in its own way. What a newer one did is left alone. */
export async function refreshPointIndex(points: Points, words: SpaceWords): Promise<void> {
  const older = ofKind('chain', is('live', true), {
    key: 'search_format',
    range: { lt: SEARCH_FORMAT },
  });
  for await (const { id } of points.all(older, ['kind'])) {
    await changeChain(points, String(id), async (state) => {
      const revision = await headOfState(points, state);
      if (revision === null || state.head === null) return { answer: undefined };
      const document = toSearchDocument(revision.content);
      await words.learn(points, state.space, document);
      return { next: { ...state, head: { ...state.head, document } }, answer: undefined };
    });
  }
}

import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry } from '../../ledger/entry.ts';
import { SEARCH_FORMAT, toSearchDocument } from '../../search/document.ts';
import {
  type ChainRecord,
  type NewRevision,
  type Revision,
  type RunRecord,
  requireChained,
  requireFitting,
} from '../port.ts';
import { prunedRow } from '../run-row.ts';
import type { Points, Stored } from './api.ts';
import { CHAIN_KEYS, type ChainState, changeChain, readChainPoint, toState } from './chain-point.ts';
import { headOfState, readRevisions, writeRevisions } from './chains.ts';
import { is, ofKind } from './ids.ts';
import { fetchNotes, insertNotes } from './ledger.ts';
import {
  batchPoint,
  claim,
  contentsOf,
  prunedPoint,
  readRunPoints,
  runPoint,
  runPointId,
} from './ledger-point.ts';
import type { SpaceWords } from './vocabulary.ts';

/** Bytes of entries in one point of a run that is restored. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Everything that is kept of a chain; null when that is nothing. */
export async function fetchChainRecord(points: Points, chainId: string): Promise<ChainRecord | null> {
  return recordOf(points, await readChainPoint(points, chainId));
}

/** Every chain by id; each as of the moment when it is read. */
export async function* exportChains(points: Points): AsyncGenerator<ChainRecord> {
  for await (const stored of points.all(ofKind('chain'), CHAIN_KEYS)) {
    const record = await recordOf(points, toState(stored));
    if (record !== null) yield record;
  }
}

/** Every run by its number in the store. */
export async function* exportRuns(points: Points): AsyncGenerator<RunRecord> {
  for (let from = 0; ; ) {
    const order = { key: 'store_seq', direction: 'asc', from } as const;
    const page = await points.first(ofKind('run'), ['run_id', 'store_seq'], 64, order);
    for (const stored of page) yield await runRecord(points, stored);
    const last = page.at(-1);
    if (last === undefined) return;
    from = Number(last.payload?.store_seq) + 1;
  }
}

/** See `MovableStore.restoreChain`. */
export async function restoreChainPoint(
  points: Points,
  words: SpaceWords,
  record: ChainRecord,
): Promise<boolean> {
  const { chainId, space, revisions, quality } = record;
  if (revisions.length === 0) return false;
  let ids: string[] = [];
  const restored = await changeChain(points, chainId, async (state) => {
    if (state.revisions.length > 0) return { answer: false };
    const live = revisions.find(({ number }) => number > 0 && number === record.head);
    if (live !== undefined) await requireFreeSlugPoint(points, live);
    if (ids.length === 0) ids = await writeRevisions(points, revisions);
    const next: ChainState = {
      ...state,
      space,
      revisions: revisions.map(({ number, digest }, at) => ({ number, digest, point: ids[at] ?? '' })),
      quality: quality.map(({ digest, runs, successes, bonus }) => ({ digest, runs, successes, bonus })),
      steps: Math.max(...revisions.map(({ content }) => content.steps.length)),
      head: live === undefined ? null : asHead(live),
    };
    if (next.head !== null) await words.learn(points, space, next.head.document);
    return { next, answer: true };
  });
  if (!restored && ids.length > 0) await points.remove(ids);
  return restored;
}

/**
 * See `MovableStore.restoreRun`. A long ledger needs several points; the run's own is written last, and the
 * others are unreadable before that.
 */
export async function restoreRunPoint(points: Points, record: RunRecord): Promise<boolean> {
  const { runId, storeSeq, entries, seal, tombstone, notes = [] } = record;
  if (tombstone !== undefined) return restorePruned(points, record, tombstone);
  const last = entries.at(-1);
  requireChained(runId, null, entries);
  if (last !== undefined && seal !== null) requireFitting(runId, last, seal);
  const [head = [], ...rest] = parts(entries);
  const run = runPoint(storeSeq, head, rest.length === 0 ? seal : null);
  if ((await readRunPoints(points, runId, ['kind', 'first'])).length > 0) return false;
  if ((await points.get([runPointId(storeSeq)], ['kind'])).length > 0) return false;
  for (const [at, part] of rest.entries()) {
    const point = batchPoint(part, at === rest.length - 1 ? seal : null);
    if (!(await claim(points, point))) await requireSame(points, point.id, point.payload?.head, runId);
  }
  await insertNotes(points, runId, notes);
  return claim(points, run);
}

/** A pruned run is its own point only. */
async function restorePruned(points: Points, record: RunRecord, tombstone: string): Promise<boolean> {
  const { runId, storeSeq, notes = [] } = record;
  if ((await readRunPoints(points, runId, ['kind', 'first'])).length > 0) return false;
  if ((await points.get([runPointId(storeSeq)], ['kind'])).length > 0) return false;
  await insertNotes(points, runId, notes);
  return claim(points, prunedPoint(prunedRow(runId, storeSeq, tombstone)));
}

/** A remainder of an earlier try is as good if its hash is equal. */
async function requireSame(points: Points, id: Stored['id'], head: unknown, runId: string): Promise<void> {
  const [stands] = await points.get([String(id)], ['head']);
  if (stands?.payload?.head === head) return;
  throw new KairosError(
    'INTERNAL',
    `other entries of run ${runId} were left in the store by a broken-off move`,
    { hint: 'Import into a new collection.' },
  );
}

async function recordOf(points: Points, state: ChainState): Promise<ChainRecord | null> {
  if (state.revisions.length === 0) return null;
  return {
    chainId: state.chainId,
    space: state.space,
    head: state.head?.summary.revision ?? null,
    revisions: (await readRevisions(points, [{ state, kept: state.revisions }])).sort(inOrder),
    quality: state.quality.map(({ digest, runs, successes, bonus }) => ({ digest, runs, successes, bonus })),
  };
}

async function runRecord(points: Points, { payload }: Stored): Promise<RunRecord> {
  const runId = String(payload?.run_id);
  const storeSeq = Number(payload?.store_seq);
  const run = await readRunPoints(points, runId, ['kind', 'first', 'entries', 'seal']);
  const tombstone = run[0]?.payload?.tombstone;
  const notes = await fetchNotes(points, runId);
  return {
    runId,
    storeSeq,
    ...contentsOf(run),
    ...(tombstone === undefined ? {} : { tombstone: String(tombstone) }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function parts(entries: readonly LedgerEntry[]): LedgerEntry[][] {
  const found: LedgerEntry[][] = [];
  let bytes = BATCH_BYTES;
  for (const entry of entries) {
    const size = JSON.stringify(entry).length;
    if (bytes + size > BATCH_BYTES) {
      found.push([]);
      bytes = 0;
    }
    found.at(-1)?.push(entry);
    bytes += size;
  }
  return found;
}

function inOrder(a: Revision, b: Revision): number {
  return a.number - b.number || (a.digest < b.digest ? -1 : 1);
}

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
function asHead(revision: Revision): NonNullable<ChainState['head']> {
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
async function requireFreeSlugPoint(
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
  const older = ofKind('chain', is('live', true), { key: 'search_format', range: { lt: SEARCH_FORMAT } });
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

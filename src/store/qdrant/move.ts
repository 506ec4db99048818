import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry } from '../../ledger/entry.ts';
import type { ChainRecord, Revision, RunRecord } from '../port.ts';
import { requireChained, requireFitting } from '../write-rules.ts';
import type { Points, Stored } from './api.ts';
import { CHAIN_KEYS, type ChainState, changeChain, readChainPoint, toState } from './chain-point.ts';
import { readRevisions, writeRevisions } from './chains.ts';
import { ofKind } from './ids.ts';
import { batchPoint, claim, contentsOf, readRunPoints, runPoint, runPointId } from './ledger-point.ts';
import { asHead, requireFreeSlugPoint } from './put-revision.ts';
import type { SpaceWords } from './vocabulary.ts';

/** Bytes of entries in one point of a run that is restored. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** All that is kept of a chain; null when that is nothing. */
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
  const { runId, storeSeq, entries, seal } = record;
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
  return claim(points, run);
}

/** A remainder of an earlier try is as good if its hash is equal. */
async function requireSame(points: Points, id: Stored['id'], head: unknown, runId: string): Promise<void> {
  const [stands] = await points.get([String(id)], ['head']);
  if (stands?.payload?.head === head) return;
  throw new KairosError(
    'INTERNAL',
    `other entries of run ${runId} were left in the store by a broken-off move`,
    {
      hint: 'Import into a new collection.',
    },
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
  return {
    runId,
    storeSeq,
    ...contentsOf(await readRunPoints(points, runId, ['kind', 'first', 'entries', 'seal'])),
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

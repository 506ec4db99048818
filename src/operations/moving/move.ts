import { KairosError } from '../../base/errors.ts';
import type { ChainRecord, Store } from '../../store/port.ts';
import { changedMeanwhile, conflict } from './conflict.ts';
import { lookAtRun, moveRun, runOutcome } from './move-run.ts';
import { type ChainPlan, type OnConflict, planChain } from './plan.ts';
import { nameOf, type PlacedRecord } from './record.ts';
import { type ChainOutcome, emptyReport, type MoveReport } from './report.ts';

export interface MoveOptions {
  onConflict: OnConflict;
  /** Check everything and write nothing. */
  dryRun: boolean;
  /** Called after each record. */
  onProgress?: (phase: 'checking' | 'writing', records: number) => void;
}

/**
 * Imports records into a store. They are read twice: all records are checked and compared with the store
 * before the first is written. Then each record is restored separately and completely, and an existing one is
 * left unchanged. After a crash the same call continues where it stopped. Throws IMPORT_CONFLICT, with the
 * places, for what isn't allowed.
 */
export async function moveInto(
  store: Store,
  records: () => AsyncIterable<PlacedRecord>,
  { onConflict, dryRun, onProgress }: MoveOptions,
): Promise<MoveReport> {
  // A store that is down is an error, not an import of nothing.
  await store.lastRun();
  const { report: planned, pinned } = await checkAll(store, records(), onConflict, (count) =>
    onProgress?.('checking', count),
  );
  if (dryRun) return planned;
  const report = emptyReport();
  let count = 0;
  for await (const { record, place } of records()) {
    const refuse = (why: string) => changedMeanwhile(`${place}: ${nameOf(record)} ${why}`);
    if (record.kind === 'chain') {
      const { chain } = record;
      report.chains[await moveChain(store, chain, onConflict, pinned.get(chain.chainId), refuse)] += 1;
    } else report.runs[await moveRun(store, record.run, onConflict, refuse)] += 1;
    count += 1;
    onProgress?.('writing', count);
  }
  return report;
}

interface Checked {
  /** The planned result for the records. */
  report: MoveReport;
  /** By chain that stays unchanged: digests that runs to import are pinned to. */
  pinned: Map<string, Set<string>>;
}

/** Further rejections are only counted. */
const TOLD = 20;

/**
 * Reads all records and compares them with the store. Writes nothing. Throws IMPORT_CONFLICT with every
 * rejection, INVALID_INPUT for a run whose content is missing.
 */
async function checkAll(
  store: Store,
  records: AsyncIterable<PlacedRecord>,
  onConflict: OnConflict,
  onProgress: (count: number) => void,
): Promise<Checked> {
  const report = emptyReport();
  const pinned: Checked['pinned'] = new Map();
  const contents = new Set<string>();
  const refusals: string[] = [];
  // Reported at the end, because faults of the file itself come first.
  let unpinned: KairosError | null = null;
  let refused = 0;
  let count = 0;
  for await (const { record, place } of records) {
    const refuse = (why: string) => {
      refused += 1;
      if (refusals.length < TOLD) refusals.push(`${place}: ${nameOf(record)} ${why}`);
    };
    if (record.kind === 'chain') {
      const { chain } = record;
      for (const { digest } of chain.revisions) contents.add(`${chain.chainId} ${digest}`);
      const plan = planChain(await store.chainRecord(chain.chainId), chain, onConflict);
      if (plan.do === 'refuse') refuse(plan.why);
      else report.chains[chainOutcome(plan)] += 1;
      if (chainIsLeft(plan, onConflict)) pinned.set(chain.chainId, new Set());
    } else {
      const plan = await lookAtRun(store, record.run, onConflict);
      if (plan.do === 'refuse') refuse(plan.why);
      else report.runs[runOutcome(plan)] += 1;
      const { chain_id: chain, digest } = record.run.entries[0]?.data ?? {};
      if (plan.do !== 'nothing') {
        const [chainId, pin] = [String(chain), String(digest)];
        if (!contents.has(`${chainId} ${pin}`) && (await store.revisionByDigest(chainId, pin)) === null)
          unpinned ??= withoutContent(`${place}: ${nameOf(record)}`, chainId, pin);
        pinned.get(chainId)?.add(pin);
      }
    }
    count += 1;
    onProgress(count);
  }
  if (unpinned !== null) throw unpinned;
  if (refused > 0) throw conflict(refusals, refused);
  return { report, pinned };
}

/** A run can't continue or be read without its pinned content. */
function withoutContent(what: string, chainId: string, digest: string): KairosError {
  return new KairosError(
    'INVALID_INPUT',
    `${what} is pinned to content ${digest} of chain ${chainId}, which is in neither the export nor this store`,
    { hint: 'Nothing was written. Export the whole store again, without --space.' },
  );
}

function chainIsLeft(plan: ReturnType<typeof planChain>, onConflict: OnConflict): boolean {
  return onConflict === 'skip' && (plan.do === 'nothing' || plan.do === 'put');
}

/** Executes the plan for a chain. If another writer is faster, plans again. */
async function moveChain(
  store: Store,
  chain: ChainRecord,
  onConflict: OnConflict,
  pinned: ReadonlySet<string> | undefined,
  refuse: (why: string) => KairosError,
): Promise<ChainOutcome> {
  for (;;) {
    const held = await store.chainRecord(chain.chainId);
    const plan = planChain(held, chain, onConflict, pinned);
    if (plan.do === 'refuse') throw refuse(plan.why);
    if (plan.do === 'nothing') return plan.as;
    const done = plan.do === 'restore' ? await store.restoreChain(chain) : await put(store, held, plan);
    if (done) return chainOutcome(plan);
  }
}

/** The outcome that a plan counts as. */
function chainOutcome(plan: Exclude<ChainPlan, { do: 'refuse' }>): ChainOutcome {
  return plan.do === 'restore' ? 'stored' : plan.as;
}

async function put(
  store: Store,
  held: ChainRecord | null,
  { revisions, remove }: Extract<ChainPlan, { do: 'put' }>,
): Promise<boolean> {
  let head = held?.revisions.find(({ number }) => number > 0 && number === held.head)?.digest ?? null;
  for (const revision of revisions) {
    if ((await store.putRevision(revision, head)) === 'conflict') return false;
    if (revision.listed) head = revision.digest;
  }
  if (remove && held !== null) await store.deleteChain(held.chainId);
  return true;
}

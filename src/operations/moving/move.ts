import { KairosError } from '../../base/errors.ts';
import type { ChainRecord, RunRecord, Store } from '../../store/port.ts';
import { type ChainPlan, type OnConflict, planChain, planRun, type RunPlan } from './plan.ts';
import { changedMeanwhile, conflict, type PlacedRecord, recordName } from './record.ts';

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
    const refuse = (why: string) => changedMeanwhile(`${place}: ${recordName(record)} ${why}`);
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
      if (refusals.length < TOLD) refusals.push(`${place}: ${recordName(record)} ${why}`);
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
      // A pruned run is read without its content.
      if (plan.do !== 'nothing' && record.run.tombstone === undefined) {
        const [chainId, pin] = [String(chain), String(digest)];
        if (!contents.has(`${chainId} ${pin}`) && (await store.revisionByDigest(chainId, pin)) === null)
          unpinned ??= withoutContent(`${place}: ${recordName(record)}`, chainId, pin);
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

/** The result for the records, or the expected result of a dry run. */
export interface MoveReport {
  chains: Record<ChainOutcome, number>;
  runs: Record<RunOutcome, number>;
}

/** `extended`: unlisted contents were added. `replaced`: newer content was put on top. */
export type ChainOutcome = 'stored' | 'extended' | 'replaced' | 'unchanged' | 'skipped';
/** `extended`: entries were appended. `renumbered`: kept under the next free number of the store. */
type RunOutcome = 'stored' | 'extended' | 'renumbered' | 'unchanged' | 'skipped';

export function emptyReport(): MoveReport {
  return {
    chains: { stored: 0, extended: 0, replaced: 0, unchanged: 0, skipped: 0 },
    runs: { stored: 0, extended: 0, renumbered: 0, unchanged: 0, skipped: 0 },
  };
}

/** Executes the plan for a run. If another writer is faster, plans again. */
async function moveRun(
  store: Store,
  run: RunRecord,
  onConflict: OnConflict,
  refuse: (why: string) => KairosError,
): Promise<RunOutcome> {
  for (;;) {
    const plan = await lookAtRun(store, run, onConflict);
    if (plan.do === 'refuse') throw refuse(plan.why);
    if (plan.do !== 'nothing' && !(await write(store, run, plan))) continue;
    await addMissingNotes(store, run);
    return runOutcome(plan);
  }
}

/** Notes are added to what the store has of the run; none is ever lost or replaced. */
async function addMissingNotes(store: Store, { runId, notes = [] }: RunRecord): Promise<void> {
  if (notes.length === 0) return;
  const held = new Set(await store.readNotes(runId));
  for (const note of notes) if (!held.has(note)) await store.addNote(runId, note);
}

/** The plan for a run in the current store. */
async function lookAtRun(store: Store, run: RunRecord, onConflict: OnConflict): Promise<RunPlan> {
  const { runId, storeSeq } = run;
  const row = await store.findRun(runId);
  if (row === null) return planRun(null, await store.runAt(storeSeq), run, onConflict);
  const [entries, seal] = [await store.readEntries(runId), await store.readSeal(runId)];
  const held = { entries, seal, tombstone: row.tombstone };
  return planRun(held, null, run, onConflict);
}

/** The outcome that a plan counts as. */
function runOutcome(plan: Exclude<RunPlan, { do: 'refuse' }>): RunOutcome {
  if (plan.do === 'nothing') return plan.as;
  return ({ restore: 'stored', extend: 'extended', renumber: 'renumbered' } as const)[plan.do];
}

async function write(
  store: Store,
  run: RunRecord,
  plan: Extract<RunPlan, { do: 'restore' | 'extend' | 'renumber' }>,
): Promise<boolean> {
  const { runId, entries, seal } = run;
  if (plan.do === 'extend') {
    return store.appendEntries(runId, plan.from, entries.slice(plan.from), seal ?? undefined);
  }
  if (plan.do === 'restore') return store.restoreRun(run);
  const last = await store.lastRun();
  return store.restoreRun({ ...run, storeSeq: (last?.storeSeq ?? 0) + 1 });
}

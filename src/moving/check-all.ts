import type { Store } from '../ports/store.ts';
import { conflict } from './conflict.ts';
import { chainOutcome } from './move-chain.ts';
import { lookAtRun, runOutcome } from './move-run.ts';
import { type OnConflict, planChain } from './plan.ts';
import { nameOf, type PlacedRecord } from './record.ts';
import { emptyReport, type MoveReport } from './report.ts';

interface Checked {
  /** What would become of the records. */
  report: MoveReport;
  /** By chain that is left as it is: digests that runs to be taken in are pinned to. */
  pinned: Map<string, Set<string>>;
}

/** Refusals beyond these are counted only. */
const TOLD = 20;

/** Reads all records and holds them against the store. Writes nothing. Throws IMPORT_CONFLICT with every refusal. */
export async function checkAll(
  store: Store,
  records: AsyncIterable<PlacedRecord>,
  onConflict: OnConflict,
  onProgress: (count: number) => void,
): Promise<Checked> {
  const report = emptyReport();
  const pinned: Checked['pinned'] = new Map();
  const refusals: string[] = [];
  let refused = 0;
  let count = 0;
  for await (const { record, place } of records) {
    const refuse = (why: string) => {
      refused += 1;
      if (refusals.length < TOLD) refusals.push(`${place}: ${nameOf(record)} ${why}`);
    };
    if (record.kind === 'chain') {
      const { chain } = record;
      const plan = planChain(await store.chainRecord(chain.chainId), chain, onConflict);
      if (plan.do === 'refuse') refuse(plan.why);
      else report.chains[chainOutcome(plan)] += 1;
      if (chainIsLeft(plan, onConflict)) pinned.set(chain.chainId, new Set());
    } else {
      const plan = await lookAtRun(store, record.run, onConflict);
      if (plan.do === 'refuse') refuse(plan.why);
      else report.runs[runOutcome(plan)] += 1;
      const { chain_id: chain, digest } = record.run.entries[0]?.data ?? {};
      if (plan.do !== 'nothing') pinned.get(String(chain))?.add(String(digest));
    }
    count += 1;
    onProgress(count);
  }
  if (refused > 0) throw conflict(refusals, refused);
  return { report, pinned };
}

function chainIsLeft(plan: ReturnType<typeof planChain>, onConflict: OnConflict): boolean {
  return onConflict === 'skip' && (plan.do === 'nothing' || plan.do === 'put');
}

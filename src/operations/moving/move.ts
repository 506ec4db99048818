import type { Store } from '../../store/port.ts';
import { checkAll } from './check-all.ts';
import { changedMeanwhile } from './conflict.ts';
import { moveChain } from './move-chain.ts';
import { moveRun } from './move-run.ts';
import type { OnConflict } from './plan.ts';
import { nameOf, type PlacedRecord } from './record.ts';
import { emptyReport, type MoveReport } from './report.ts';

export interface MoveOptions {
  onConflict: OnConflict;
  /** Look at everything and write nothing. */
  dryRun: boolean;
  /** Told after each record. */
  onProgress?: (phase: 'checking' | 'writing', records: number) => void;
}

/**
 * Takes records into a store. They are read twice: all of them are checked and held against the store before the first
 * is written. Each is then restored by itself and whole, and one that is there already is left alone: after a crash the
 * same call goes on where it was. Throws IMPORT_CONFLICT, with the places, for what may not be done.
 */
export async function moveInto(
  store: Store,
  records: () => AsyncIterable<PlacedRecord>,
  { onConflict, dryRun, onProgress }: MoveOptions,
): Promise<MoveReport> {
  // A store that is down is no store that took in nothing.
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

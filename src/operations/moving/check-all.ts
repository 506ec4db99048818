import { KairosError } from '../../base/errors.ts';
import type { Store } from '../../store/port.ts';
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

/**
 * Reads all records and holds them against the store. Writes nothing. Throws IMPORT_CONFLICT with every refusal,
 * INVALID_INPUT for a run whose content is nowhere.
 */
export async function checkAll(
  store: Store,
  records: AsyncIterable<PlacedRecord>,
  onConflict: OnConflict,
  onProgress: (count: number) => void,
): Promise<Checked> {
  const report = emptyReport();
  const pinned: Checked['pinned'] = new Map();
  const contents = new Set<string>();
  const refusals: string[] = [];
  // Told at the end only: what is wrong with the file itself comes first.
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

/** A run without what it is pinned to could neither go on nor be read. */
function withoutContent(what: string, chainId: string, digest: string): KairosError {
  return new KairosError(
    'INVALID_INPUT',
    `${what} is pinned to content ${digest} of chain ${chainId}, which is neither there nor here`,
    { hint: 'Nothing was written. Export the whole store again, without --space.' },
  );
}

function chainIsLeft(plan: ReturnType<typeof planChain>, onConflict: OnConflict): boolean {
  return onConflict === 'skip' && (plan.do === 'nothing' || plan.do === 'put');
}

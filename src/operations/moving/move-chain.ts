import type { KairosError } from '../../base/errors.ts';
import type { ChainRecord, Store } from '../../store/port.ts';
import { type ChainPlan, type OnConflict, planChain } from './plan.ts';
import type { ChainOutcome } from './report.ts';

/** Does what the plan for a chain says, planning anew as long as another writer is faster. */
export async function moveChain(
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

/** What a plan is counted as. */
export function chainOutcome(plan: Exclude<ChainPlan, { do: 'refuse' }>): ChainOutcome {
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

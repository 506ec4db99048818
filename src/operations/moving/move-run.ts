import type { KairosError } from '../../base/errors.ts';
import type { RunRecord, Store } from '../../store/port.ts';
import { type OnConflict, planRun, type RunPlan } from './plan.ts';
import type { RunOutcome } from './report.ts';

/** Executes the plan for a run. If another writer is faster, plans again. */
export async function moveRun(
  store: Store,
  run: RunRecord,
  onConflict: OnConflict,
  refuse: (why: string) => KairosError,
): Promise<RunOutcome> {
  for (;;) {
    const plan = await lookAtRun(store, run, onConflict);
    if (plan.do === 'refuse') throw refuse(plan.why);
    if (plan.do === 'nothing') return plan.as;
    if (await write(store, run, plan)) return runOutcome(plan);
  }
}

/** The plan for a run in the current store. */
export async function lookAtRun(store: Store, run: RunRecord, onConflict: OnConflict): Promise<RunPlan> {
  const { runId, storeSeq } = run;
  if ((await store.findRun(runId)) === null) {
    return planRun(null, await store.runAt(storeSeq), run, onConflict);
  }
  const held = { entries: await store.readEntries(runId), seal: await store.readSeal(runId) };
  return planRun(held, null, run, onConflict);
}

/** The outcome that a plan counts as. */
export function runOutcome(plan: Exclude<RunPlan, { do: 'refuse' }>): RunOutcome {
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

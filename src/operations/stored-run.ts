import { KairosError } from '../base/errors.ts';
import { stepUri } from '../protocol/identity.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { MIN_RUN_PREFIX, noRun } from './run/locate.ts';
import { type LoadedRun, loadRun } from './run/transact.ts';

/** A run of this space by its id, a unique beginning of one, or `latest`. Throws RUN_NOT_FOUND. */
export async function storedRun(ctx: OperationContext, reference: string): Promise<RunRow> {
  const { store, caller } = ctx;
  const text = reference.toLowerCase();
  const spaces = [caller.space];
  if (text === 'latest') {
    const [newest] = await store.findRuns({ spaces, limit: 1 });
    if (newest !== undefined) return newest;
    throw noRun(ctx, reference);
  }
  const run = await store.findRun(text);
  if (run !== null && run.space === caller.space) return run;
  if (text.length < MIN_RUN_PREFIX || !/^[0-9a-f-]+$/.test(text)) throw noRun(ctx, reference);
  const [found, another] = await store.findRuns({ spaces, idPrefix: text, limit: 2 });
  if (found === undefined) throw noRun(ctx, reference);
  if (another === undefined) return found;
  throw new KairosError('RUN_NOT_FOUND', `the ids of several runs begin with ${JSON.stringify(reference)}`, {
    hint: `Write more of the id, for example ${found.runId.slice(0, text.length + 4)} or ${another.runId.slice(0, text.length + 4)}.`,
  });
}

/** A run of this space by its whole id, with its pinned revision. Throws RUN_NOT_FOUND. */
export async function requireRun(ctx: OperationContext, runId: string): Promise<LoadedRun> {
  const run = await loadRun(ctx, runId);
  if (run === null) throw noRun(ctx, runId);
  return run;
}

/** Ids of runs, beginnings of them, and `latest`; a file of such a name is written ./latest. */
export function isRunReference(record: string): boolean {
  return record === 'latest' || /^[0-9a-f]{4}[0-9a-f-]*$/i.test(record);
}

/** A run as `--json` prints it. */
export function runObject(run: RunRow) {
  return {
    run_id: run.runId,
    slug: run.slug,
    title: run.title,
    uri: stepUri(run.chainId, 1),
    digest: run.digest,
    space: run.space,
    actor: run.actor,
    session: run.session,
    begun_at: run.begunAt,
    sealed_at: run.sealedAt,
    outcome: run.outcome,
    entries: run.entryCount,
    head: run.head,
    pruned: run.tombstone !== undefined,
  };
}

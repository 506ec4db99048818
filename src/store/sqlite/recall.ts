import type { RunMemory } from '../port.ts';
import type { Connection } from './driver.ts';

/** Lookups that are kept. */
const MAX_FACTS = 256;
/** Runs of which the fold is kept. It grows with the number of entries, not with what they hold. */
const MAX_RUNS = 32;

/**
 * What a connection has read and would read again: a walk asks for the same step, revision and run at every call. Nothing
 * is handed out from here once another connection has committed anything (`PRAGMA data_version`), so this forgets whenever
 * SQLite's own cache of pages does.
 */
export interface ReadCache {
  /** What `read` finds, or found before; null is looked for again. */
  fact<T extends object>(key: string, read: () => T | null): T | null;
  /** See `LedgerStore.recallRun`. */
  run(runId: string): RunMemory;
  /** Forgets facts: to be called when this connection has committed anything else than a new run or entries. */
  forgetFacts(): void;
}

export function createReadCache(connection: Connection): ReadCache {
  const facts = new Map<string, object>();
  /** Replaced, not emptied, so that a memory from before adds nothing to what is kept since. */
  let runs = new Map<string, object>();
  let version: unknown;

  const refresh = () => {
    const now = connection.prepare('PRAGMA data_version').get()?.data_version;
    if (now === version) return;
    version = now;
    facts.clear();
    runs = new Map();
  };
  const keep = (kept: Map<string, object>, runId: string, fold: object) => {
    kept.delete(runId);
    kept.set(runId, fold);
    const [oldest] = kept.keys();
    if (kept.size > MAX_RUNS && oldest !== undefined) kept.delete(oldest);
  };
  return {
    fact<T extends object>(key: string, read: () => T | null): T | null {
      refresh();
      const known = facts.get(key);
      if (known !== undefined) return known as T;
      const found = read();
      if (found === null) return null;
      if (facts.size >= MAX_FACTS) facts.clear();
      facts.set(key, Object.freeze(found));
      return found;
    },
    run(runId) {
      refresh();
      const kept = runs;
      return { fold: kept.get(runId) ?? null, keep: (fold) => keep(kept, runId, fold) };
    },
    forgetFacts: () => facts.clear(),
  };
}

import type { RunMemory } from '../port.ts';
import type { Connection } from './driver.ts';

/** Number of cached lookups. */
const MAX_FACTS = 256;
/** Number of cached queries. */
const MAX_LISTS = 8;
/** Number of runs whose state is cached. A state grows with the number of entries, not with their size. */
const MAX_RUNS = 32;

/**
 * The read cache of a connection, because a run reads the same step, revision and state in every call. It drops everything
 * once another connection has committed (`PRAGMA data_version`), at the same moments as SQLite's own page cache.
 */
export interface ReadCache {
  /** What `read` finds, or found before; null is looked for again. */
  fact<T extends object>(key: string, read: () => T | null): T | null;
  /** The same for the rows of a query; they change with each commit of this connection, too. */
  rows<T extends object>(key: string, read: () => T[]): T[];
  /** Forgets rows: to be called when this connection has committed anything. */
  forgetRows(): void;
  /** See `LedgerStore.cachedRun`. */
  run(runId: string): RunMemory;
  /** Forgets facts: to be called when this connection has committed anything else than a new run or entries. */
  forgetFacts(): void;
}

export function createReadCache(connection: Connection): ReadCache {
  const facts = new Map<string, object>();
  const lists = new Map<string, readonly object[]>();
  /** Replaced, not emptied, so that a memory from before adds nothing to what is kept since. */
  let runs = new Map<string, object>();
  let version: unknown;

  const refresh = () => {
    const now = connection.prepare('PRAGMA data_version').get()?.data_version;
    if (now === version) return;
    version = now;
    facts.clear();
    lists.clear();
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
    rows<T extends object>(key: string, read: () => T[]): T[] {
      refresh();
      const known = lists.get(key) ?? read().map((row) => Object.freeze(row));
      if (lists.size >= MAX_LISTS) lists.clear();
      lists.set(key, known);
      return [...known] as T[];
    },
    forgetRows: () => lists.clear(),
    run(runId) {
      refresh();
      const kept = runs;
      return { fold: kept.get(runId) ?? null, keep: (fold) => keep(kept, runId, fold) };
    },
    forgetFacts: () => facts.clear(),
  };
}

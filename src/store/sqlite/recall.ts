import type { LedgerEntry } from '../../ledger/entry.ts';
import type { Connection } from './driver.ts';
import { readEntryTexts, toEntry } from './ledger.ts';

/** Lookups that are kept. */
const MAX_FACTS = 256;
/** Runs of which the entries are kept, and how much text they may have each, in UTF-16 units. */
const MAX_RUNS = 32;
const MAX_RUN_LENGTH = 2 ** 16;

interface KeptRun {
  entries: readonly LedgerEntry[];
  length: number;
}

/**
 * What a connection has read and would read again: a walk asks for the same step, revision and entries at every call. Nothing
 * is handed out from here once another connection has committed anything (`PRAGMA data_version`), so this forgets whenever
 * SQLite's own cache of pages does.
 */
export interface Recall {
  /** What `read` finds, or found before; null is looked for again. */
  fact<T extends object>(key: string, read: () => T | null): T | null;
  /** All entries of a run by number. */
  entries(runId: string): LedgerEntry[];
  /** Told what this connection itself has committed to a run behind entry number `count - 1`: so much text in all. */
  appended(runId: string, count: number, entries: readonly LedgerEntry[], length: number): void;
  /** To be called when this connection has committed anything else than a new run or entries. */
  forget(): void;
}

export function createRecall(connection: Connection): Recall {
  const facts = new Map<string, object>();
  const runs = new Map<string, KeptRun>();
  let version: unknown;

  const forget = () => {
    facts.clear();
    runs.clear();
  };
  const refresh = () => {
    const now = connection.prepare('PRAGMA data_version').get()?.data_version;
    if (now !== version) forget();
    version = now;
  };
  const keep = (runId: string, run: KeptRun) => {
    runs.delete(runId);
    // An empty one may be begun meanwhile.
    if (run.length > MAX_RUN_LENGTH || run.entries.length === 0) return;
    runs.set(runId, run);
    const [oldest] = runs.keys();
    if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
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
    entries(runId) {
      refresh();
      const known = runs.get(runId);
      if (known !== undefined) return [...known.entries];
      const texts = readEntryTexts(connection, runId);
      const entries = texts.map(toEntry);
      keep(runId, { entries, length: texts.reduce((sum, { text }) => sum + text.length, 0) });
      return [...entries];
    },
    appended(runId, count, entries, length) {
      const known = runs.get(runId);
      if (known === undefined) return;
      // Entries that could still change are read back, frozen.
      if (known.entries.length !== count || !entries.every(Object.isFrozen)) runs.delete(runId);
      else keep(runId, { entries: [...known.entries, ...entries], length: known.length + length });
    },
    forget,
  };
}

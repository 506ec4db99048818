import type { LedgerEntry } from '../../ledger/entry.ts';
import { stepUuid } from '../../protocol/identity.ts';
import type { Revision, RunRow } from '../port.ts';
import { noncesOf, runFacts, sealFacts } from '../run-row.ts';

/**
 * What this process has read of a collection, so that a call does not ask again for what cannot change: the step of a UUID,
 * the content of a digest, the run of a nonce, and where a run's ledger ended when it was read last. Other processes write
 * unseen, so nothing that changes is returned from here.
 */
export interface Known {
  steps: Bounded<{ chainId: string; index: number }>;
  /** By chain and digest. Another process may list the same content again under a later number. */
  revisions: Bounded<Revision>;
  /** Run ids by SHA-256 of a nonce. */
  nonces: Bounded<string>;
  /** Rows of runs by id: an append to an older end loses the race, so an outdated row does no harm. */
  ends: Bounded<RunRow>;
  /** Entries that came with a row in one request. */
  entries: WeakMap<RunRow, LedgerEntry[]>;
  learnRevision(revision: Revision): void;
  /** Keeps the steps of a chain by their UUIDs. */
  learnSteps(chainId: string, count: number): void;
  /** Keeps what entries that were just written make of a run. Without a row they begin it. */
  learnEntries(before: RunRow | null, storeSeq: number, entries: readonly LedgerEntry[]): void;
  /** Forgets the revisions of a chain. */
  forgetChain(chainId: string): void;
}

/** A map of the latest `size` keys. */
interface Bounded<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

export function openKnown(): Known {
  const known: Known = {
    steps: bounded(4096),
    revisions: bounded(128),
    nonces: bounded(4096),
    ends: bounded(1024),
    entries: new WeakMap(),
    learnRevision(revision) {
      const { chainId, digest, content } = revision;
      known.revisions.set(`${chainId} ${digest}`, revision);
      known.learnSteps(chainId, content.steps.length);
    },
    learnSteps(chainId, count) {
      for (let index = count; index > 0; index -= 1)
        known.steps.set(stepUuid(chainId, index), { chainId, index });
    },
    learnEntries(before, storeSeq, entries) {
      const last = entries.at(-1);
      if (last === undefined) return;
      const { run_id: runId, hash: head, seq } = last;
      for (const nonce of entries.flatMap(noncesOf)) known.nonces.set(nonce, runId);
      const facts = before ?? { runId, storeSeq, ...runFacts(entries) };
      known.ends.set(runId, { ...facts, ...sealFacts(entries), head, entryCount: seq + 1 });
    },
    forgetChain(chainId) {
      for (const key of known.revisions.keys())
        if (key.startsWith(`${chainId} `)) known.revisions.delete(key);
    },
  };
  return known;
}

function bounded<T>(size: number): Bounded<T> {
  const kept = new Map<string, T>();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > size && oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => kept.delete(key),
    keys: () => [...kept.keys()],
  };
}

import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { LedgerEntry, Seal } from '../ledger/entry.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { ChainSummary, SearchHit } from '../search/classify.ts';
import type { Quality } from '../search/rank.ts';
import type { HeadVectors, QueryVectors, VectorModel, VectorStore } from '../search/vectors.ts';

/**
 * The store port of the core. Two adapters implement it (SQLite, Qdrant); one contract suite tests both.
 * Every method may throw KairosError STORE_UNAVAILABLE, or STORE_DAMAGED for unreadable data; none returns
 * "nothing" after a failed read.
 */
export interface Store extends ChainStore, LedgerStore, MovableStore, VectorStore {
  close(): Promise<void>;
}

/** One immutable content of a chain. */
export interface Revision {
  digest: string;
  chainId: string;
  space: string;
  /** Number within its chain, from 1; 0 for an unlisted revision (kept for `kairos run FILE`). */
  number: number;
  content: ChainContent;
  /** Who stored it: the OS user or the bearer identity. */
  author: string;
  llmModelId: string | null;
  /** RFC 3339 UTC. */
  createdAt: string;
  /** Set when an update loosened or removed a demand of the revision before it. */
  weakened: string | null;
}

export interface NewRevision extends Omit<Revision, 'number'> {
  listed: boolean;
}

export interface SearchRequest {
  /** As typed; several phrasings may be separated by ` | `. */
  query: string;
  limit: number;
  /** Spaces to look in. */
  spaces: string[];
  /** What the query means; without it, or when the store has not that model, words alone decide. */
  vectors?: QueryVectors;
}

export interface ChainStore {
  /** The newest listed revision, or null when unknown or deleted. */
  head(chainId: string): Promise<Revision | null>;
  headBySlug(space: string, slug: string): Promise<Revision | null>;
  /** Every revision ever kept, listed or not, deleted chains included. */
  revisionByDigest(chainId: string, digest: string): Promise<Revision | null>;
  revisions(chainId: string): Promise<Revision[]>;
  /**
   * The chain and 1-based step of a step's UUID; known for every UUID ever returned, deleted ones included.
   */
  resolveStep(uuid: string): Promise<{ chainId: string; index: number } | null>;
  /**
   * Stores a revision. Listed: becomes the head if the head's digest still is `expectedHead` (null: no live
   * head). Unlisted: stored without changing the head. `conflict` when another writer was faster. Storing the
   * head's own digest again is `unchanged`. Vectors of a new head are kept with it, in the same commit where the store
   * has one; those of a model that the store does not know are dropped.
   */
  putRevision(
    revision: NewRevision,
    expectedHead: string | null,
    vectors?: HeadVectors,
  ): Promise<'stored' | 'unchanged' | 'conflict'>;
  /** Unlists the chain; revisions and runs stay. False if there is no chain. */
  deleteChain(chainId: string): Promise<boolean>;
  listChains(spaces: string[]): Promise<ChainSummary[]>;
  /** Live chains of a space in the order of their ids, from after `after` on, `limit` at most. */
  chainsAfter(space: string, after: string | null, limit: number): Promise<ChainSummary[]>;
  listSpaces(): Promise<{ name: string; chainCount: number }[]>;
  /** Matches only, best first; relevance cut-off applied. */
  searchChains(request: SearchRequest): Promise<SearchHit[]>;
  /** Adds one attested run to a revision's quality. */
  rate(chainId: string, digest: string, outcome: 'success' | 'failure', bonus: number): Promise<void>;
  quality(chainId: string): Promise<Quality>;
}

/** A run as an index row; every field is derived from its ledger entries. */
export interface RunRow {
  runId: string;
  /** Position of the run among all runs of the store, from 1. */
  storeSeq: number;
  space: string;
  chainId: string;
  digest: string;
  slug: string;
  title: string;
  actor: string;
  session: string | null;
  begunAt: string;
  sealedAt: string | null;
  outcome: 'success' | 'failure' | null;
  /** Hash of the newest entry. */
  head: string;
  entryCount: number;
  /** Of a pruned run, whose entries were removed: the signed text that stands for them (`checkTombstone`). */
  tombstone?: string;
}

export interface RunQuery {
  spaces: string[];
  chainId?: string;
  actor?: string;
  session?: string;
  /** Only open (true) or only sealed (false) runs. */
  open?: boolean;
  /** How the id begins. */
  idPrefix?: string;
  limit?: number;
}

/** What a caller made of a run's entries, for its next call. The store forgets it once another program has written to it. */
export interface RunMemory {
  /** What was kept last; null: the entries must be read, and checked, from the first one on. */
  fold: object | null;
  /** Keeps what was made of entries read since this memory was asked for. Without effect in a store that cannot vouch for it. */
  keep(fold: object): void;
}

interface LedgerStore {
  /** The newest run of the store: its sequence number and the hash of its newest entry. Null before the first. */
  lastRun(): Promise<{ storeSeq: number; head: string } | null>;
  /**
   * Creates a run from its first entries (`run.begun` first). False when `storeSeq` is already used: read
   * again, retry.
   */
  createRun(runId: string, storeSeq: number, entries: LedgerEntry[]): Promise<boolean>;
  /**
   * Compare-and-swap on the entry number: appends all entries, with the seal, if the run has exactly
   * `expectedSeq` entries; else appends nothing and returns false. Durable when it returns true.
   */
  appendEntries(runId: string, expectedSeq: number, entries: LedgerEntry[], seal?: Seal): Promise<boolean>;
  /**
   * All entries by number, or those from a number on; empty when the run is unknown. Of a row that `findRun` returned, a
   * store may return the entries that it read with the row.
   */
  readEntries(run: string | RunRow, from?: number): Promise<LedgerEntry[]>;
  /** Returns the cache of a run between two calls. */
  cachedRun(runId: string): Promise<RunMemory>;
  readSeal(runId: string): Promise<Seal | null>;
  /**
   * The run as its exported lines (see `toLines`), the seal last. An unreadable entry or seal is included
   * unchanged, so that a verifier can report it. Empty for an unknown run.
   */
  readLines(runId: string, from?: number): Promise<string[]>;
  /** Keeps a signed note (`checkNote`) next to a sealed run. False when there is no such run, or it is open. */
  addNote(runId: string, note: string): Promise<boolean>;
  /** Notes next to a run, in the order in which they were kept. */
  readNotes(runId: string): Promise<string[]>;
  /**
   * Removes entries, seal and nonces of a sealed run whose newest entry has the hash `head`, and keeps the tombstone in their
   * place; notes stay. False, and nothing is removed, for any other run.
   */
  pruneRun(runId: string, head: string, tombstone: string): Promise<boolean>;
  /** The numbers under which entries of a run are kept that bear another number themselves. */
  misnumbered(runId: string): Promise<number[]>;
  findRun(runId: string): Promise<RunRow | null>;
  /** Newest first. */
  findRuns(query: RunQuery): Promise<RunRow[]>;
  /** The run that showed the nonce with this SHA-256 (`nonce_sha256` of its `step.shown` entries). */
  findRunByNonce(nonceSha256: string): Promise<string | null>;
}

/** Everything that a store keeps of one chain, live or deleted. What is derived (step URIs, search) is not in it. */
export interface ChainRecord {
  chainId: string;
  space: string;
  /** Number of the live head; null when the chain is deleted or was never listed. */
  head: number | null;
  /** At least one. By number, unlisted ones (0) first and by digest. */
  revisions: Revision[];
  /** Counts of each revision that was ever rated, by digest. */
  quality: (Quality & { digest: string })[];
}

/** Everything that a store keeps of one run. */
export interface RunRecord {
  runId: string;
  storeSeq: number;
  entries: LedgerEntry[];
  seal: Seal | null;
  /** Of a pruned run, which has no entries and no seal. */
  tombstone?: string;
  /** Absent: none. */
  notes?: string[];
}

/**
 * What moving a store needs. Each record is read as of one moment and restored completely or not at all, for
 * every reader; numbers, times, authors and hashes stay exactly the same.
 */
export interface MovableStore {
  /** Every chain by id, one after the other, never all in memory; deleted ones and those with unlisted revisions only too. */
  exportChains(): AsyncIterable<ChainRecord>;
  /** Every run by its number in the store, sealed or open. */
  exportRuns(): AsyncIterable<RunRecord>;
  /** Null when nothing is kept of the chain. */
  chainRecord(chainId: string): Promise<ChainRecord | null>;
  /** The run that has this number in the store. */
  runAt(storeSeq: number): Promise<string | null>;
  /** Keeps a chain exactly as recorded. False, and nothing is written, when anything is kept of the chain already. */
  restoreChain(chain: ChainRecord): Promise<boolean>;
  /**
   * Keeps a run exactly as recorded, its seal too. False, and nothing is written, when the run or its number is there
   * already. Throws INTERNAL when the entries do not follow from one another or the seal does not fit them.
   */
  restoreRun(run: RunRecord): Promise<boolean>;
}

/**
 * Throws INTERNAL for entries that do not follow from one another and from the one before: a store never keeps such, since
 * that would look like tampering ever after.
 */
export function requireChained(
  runId: string,
  previous: Pick<LedgerEntry, 'seq' | 'hash'> | null,
  entries: readonly LedgerEntry[],
): void {
  let before = previous;
  for (const entry of entries) {
    const follows = before === null || entry.prev === before.hash;
    if (entry.run_id !== runId || entry.seq !== (before?.seq ?? -1) + 1 || !follows) {
      throw new KairosError(
        'INTERNAL',
        `entry ${entry.seq} does not follow entry ${before?.seq ?? 'none'} of run ${runId}`,
      );
    }
    before = entry;
  }
}

/** Throws INTERNAL for a seal that is over other entries than the run whose last entry is given. */
export function requireFitting(runId: string, last: Pick<LedgerEntry, 'seq' | 'hash'>, { seal }: Seal): void {
  if (seal.head === last.hash && seal.count === last.seq + 1) return;
  throw new KairosError('INTERNAL', `the seal does not fit run ${runId}`);
}

/** Throws INVALID_INPUT for a vector that cannot be compared with the others of its model. */
export function requireComparable(model: VectorModel, vector: Float32Array): void {
  if (vector.length !== model.dimensions) throw otherDimensions(model, vector.length);
  if (!vector.every(Number.isFinite)) {
    throw unusable(`a vector of ${model.model} has a number that is not finite`);
  }
}

/** A query or chain whose vector cannot be compared with the ones of its model. */
export function otherDimensions({ model, dimensions }: VectorModel, found: number): KairosError {
  return unusable(`vectors of ${model} have ${dimensions} dimensions, this one has ${found}`);
}

/** A model that the store doesn't know. */
export function noSuchModel(model: string): KairosError {
  return unusable(`there is no model ${model}`);
}

function unusable(reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `the vector cannot be used: ${reason}`, {
    hint: `Check the embedding provider and its model, then run ${hereCommand(['index'])} again.`,
  });
}

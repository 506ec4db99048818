import { canonical, GENESIS_HASH, sha256Hex } from '../base/canonical.ts';
import { hashOnce } from '../base/hash-once.ts';
import { cleanData } from './entry-text.ts';

export const ENTRY_KINDS = [
  'run.begun',
  'step.shown',
  'proof.accepted',
  'proof.rejected',
  'proposal.decided',
  'approval.given',
  'permit.consumed',
  'command.started',
  'command.finished',
  'rollback.done',
  'step.skipped',
  'trust.given',
  'run.resumed',
  'run.sealed',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** JSON values that an entry may hold: numbers are integers within ±2^53−1, keys are printable ASCII. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type EntryData = { [key: string]: Json };

/** What is hashed. */
export interface EntryBody {
  v: 1;
  run_id: string;
  /** From 0. */
  seq: number;
  /** Hash of the entry before; of entry 0, the hash of the text `genesis`. */
  prev: string;
  /** RFC 3339 UTC, millisecond precision. */
  at: string;
  kind: EntryKind;
  data: EntryData;
}

export interface LedgerEntry extends EntryBody {
  hash: string;
}

/** The last line of a sealed ledger. */
export interface Seal {
  seal: {
    v: 1;
    run_id: string;
    /** Hash of the `run.sealed` entry. */
    head: string;
    /** Number of entries, `run.sealed` included. */
    count: number;
    alg: 'ed25519';
    /** SubjectPublicKeyInfo, DER, base64. */
    public_key: string;
    /** Over `"kairos.seal.v1\n" + JCS({run_id, head, count})`, base64. */
    signature: string;
  };
}

/** What the canonical text of an entry is hashed behind, so that the hash can mean nothing else. */
export const HASH_PREFIX = 'kairos.ledger.v1\n';

/** SPEC 5: `sha256("kairos.ledger.v1\n" + JCS(entry without hash))`. */
export function entryHash(body: EntryBody): string {
  const { v, run_id, seq, prev, at, kind, data } = body;
  return sha256Hex(`${HASH_PREFIX}${canonical({ v, run_id, seq, prev, at, kind, data })}`);
}

/** Chains a new entry, frozen, onto `previous` (null: the first of its run). `data` is cleaned first (`cleanData`). */
export function makeEntry(
  runId: string,
  previous: Pick<LedgerEntry, 'seq' | 'hash'> | null,
  at: string,
  kind: EntryKind,
  data: EntryData,
): LedgerEntry {
  const body: EntryBody = {
    v: 1,
    run_id: runId,
    seq: previous === null ? 0 : previous.seq + 1,
    prev: previous === null ? GENESIS_HASH : previous.hash,
    at,
    kind,
    data: cleanData(data),
  };
  const entry = Object.freeze({ ...body, hash: entryHash(body) });
  hashOnce(entry, ({ hash }) => hash);
  return entry;
}

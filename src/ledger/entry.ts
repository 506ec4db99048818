import { canonical, GENESIS_HASH, sha256Hex } from '../base/canonical.ts';
import { hashOnce } from '../base/memoize.ts';

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
  'run.moved',
  'policy.adopted',
  'run.rebased',
  'run.noted',
  'call.reported',
  'run.left',
  'run.sealed',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** JSON values that an entry may contain: numbers are integers within ±2^53−1, keys are printable ASCII. */
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

/**
 * Text that an entry may contain: DEL and lone surrogates become U+FFFD. RFC 8785 has no form for a lone
 * surrogate, and `jq` writes DEL as an escape where RFC 8785 doesn't, so without them both write the same
 * bytes.
 */
export function cleanText(text: string): string {
  return MAY_BE_UNCLEAN.test(text) ? text.replace(/[\x7f\p{Cs}]/gu, '\ufffd') : text;
}

/** Also true for surrogate pairs; without the flag u, ordinary text is checked quickly. */
const MAY_BE_UNCLEAN = /[\x7f\ud800-\udfff]/;

/**
 * Foreign JSON (a tool's result or arguments) as the one string that an entry keeps: its RFC 8785 text, with
 * every string and key cleaned. Values that JSON lacks become null, as in JSON.stringify.
 */
export function foreignJson(value: unknown): string {
  return canonical(cleanForeign(value));
}

/**
 * An entry's data as it may be stored: texts cleaned, absent (undefined) keys dropped, a number that is not an
 * integer within ±2^53−1 turned into its RFC 8785 text. Frozen all the way down. A key outside printable ASCII is a fault
 * of the caller: TypeError.
 */
export function cleanData(data: { [key: string]: unknown }): EntryData {
  return Object.freeze(
    Object.fromEntries(
      Object.entries(data)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [asciiKey(key), cleanValue(value)]),
    ),
  );
}

function cleanValue(value: unknown): Json {
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? value + 0 : canonical(value);
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return Object.freeze(value.map(cleanValue)) as Json[];
      return cleanData(value as { [key: string]: unknown });
    default:
      throw new TypeError(`a ledger entry cannot contain a ${typeof value}`);
  }
}

function asciiKey(key: string): string {
  if (!/^[\x20-\x7e]+$/.test(key)) throw new TypeError('keys of a ledger entry are printable ASCII');
  return key;
}

function cleanForeign(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(cleanForeign);
  if (value === null || typeof value !== 'object') return null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [cleanText(key), cleanForeign(item)]),
  );
}

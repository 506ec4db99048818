import { sha256Hex } from '../base/canonical.ts';
import { isDeeperThan } from '../base/json.ts';
import { type EntryBody, entryHash, HASH_PREFIX, type LedgerEntry } from './entry.ts';
import { isCanonical, isHash, shapeFault } from './shape.ts';

/** What is wrong with a line alone, independent of other lines. */
interface LineFault {
  code: 'unreadable' | 'malformed' | 'edited' | 'not-canonical';
  /** In fixed words, to follow "the line". */
  detail: string;
}

/** One line of an exported ledger, as far as it can be read. */
export interface LedgerLine {
  /** 1-based. */
  line: number;
  text: string;
  kind: 'entry' | 'seal' | 'unreadable' | 'blank';
  /** The content of the line; null if it isn't a JSON object. */
  value: Record<string, unknown> | null;
  /** Fields of an entry that have the right form, whether or not the rest has. */
  runId: string | null;
  seq: number | null;
  prev: string | null;
  hash: string | null;
  /** The hash that the entry should have; null when it cannot be computed. */
  computed: string | null;
  fault: LineFault | null;
}

/** Deeper nesting isn't followed; kairos itself writes only a few levels. */
const MAX_DEPTH = 64;

/** Reads one line. Never throws; faults are data. */
export function readLine(text: string, line: number): LedgerLine {
  const blank = { line, text, value: null, runId: null, seq: null, prev: null, hash: null, computed: null };
  if (text.trim() === '') return { ...blank, kind: 'blank', fault: null };
  const value = parseObject(text);
  if (typeof value === 'string') {
    return { ...blank, kind: 'unreadable', fault: { code: 'unreadable', detail: value } };
  }
  const bytesFault = isCanonical(text, value) ? null : NOT_CANONICAL;
  if (Object.hasOwn(value, 'seal') && !Object.hasOwn(value, 'seq') && !Object.hasOwn(value, 'hash')) {
    return { ...blank, kind: 'seal', value, fault: bytesFault };
  }
  const shape = shapeFault(value);
  const computed =
    shape === null && bytesFault === null ? hashOfText(text, entry(value)) : hashOfValue(value);
  const hash = isHash(value.hash) ? value.hash : null;
  return {
    line,
    text,
    kind: 'entry',
    value,
    runId: typeof value.run_id === 'string' ? value.run_id : null,
    seq: Number.isSafeInteger(value.seq) && Number(value.seq) >= 0 ? Number(value.seq) : null,
    prev: isHash(value.prev) ? value.prev : null,
    hash,
    computed,
    fault:
      shape !== null
        ? { code: 'malformed', detail: shape }
        : hash !== computed
          ? { code: 'edited', detail: 'does not match its hash' }
          : bytesFault,
  };
}

/** The entry's content is the one that was hashed. */
export function isIntact(line: LedgerLine): boolean {
  return line.hash !== null && line.hash === line.computed;
}

/** The entry on a line without a fault. */
export function entryOf(line: LedgerLine): LedgerEntry {
  return entry(line.value ?? {});
}

/** Repeated keys, white space, key order and other spellings of the same value all show in this. */
const NOT_CANONICAL: LineFault = {
  code: 'not-canonical',
  detail: 'is not in RFC 8785 form (white space, key order, escapes or a repeated key)',
};

function parseObject(text: string): Record<string, unknown> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'is not a JSON object';
  return isDeeperThan(value, MAX_DEPTH) ? 'is nested too deeply' : (value as Record<string, unknown>);
}

/**
 * The hash of a well-formed entry in canonical text: of that text without its `hash`, which is between `data`
 * and `kind`.
 */
function hashOfText(text: string, { hash, kind, prev, run_id, seq, v }: LedgerEntry): string {
  const rest = `"kind":${JSON.stringify(kind)},"prev":"${prev}","run_id":${JSON.stringify(run_id)},"seq":${seq},"v":${v}}`;
  const before = text.slice(0, text.length - `"hash":"${hash}",${rest}`.length);
  return sha256Hex(`${HASH_PREFIX}${before}${rest}`);
}

function hashOfValue(value: Record<string, unknown>): string | null {
  try {
    return entryHash(value as unknown as EntryBody);
  } catch {
    return null;
  }
}

function entry(value: Record<string, unknown>): LedgerEntry {
  return value as unknown as LedgerEntry;
}

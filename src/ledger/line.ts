import { canonical, sha256Hex } from '../base/canonical.ts';
import { isDeeperThan, isObject, jsonOf } from '../base/json.ts';
import { cleanText, type EntryBody, entryHash, HASH_PREFIX, type LedgerEntry, type Seal } from './entry.ts';

/** A run as JSONL: one entry a line, each as RFC 8785 text, the seal last. Ends with a line feed. */
export function toJsonl(entries: readonly LedgerEntry[], seal: Seal | null): string {
  return toLines(entries, seal)
    .map((line) => `${line}\n`)
    .join('');
}

/** The lines of `toJsonl`, without line feeds. */
export function toLines(entries: readonly LedgerEntry[], seal: Seal | null): string[] {
  return [...entries, ...(seal === null ? [] : [seal])].map(lineOf);
}

/**
 * The line of an entry or a seal that was stored as `JSON.stringify` writes it. A text with another form (no
 * JSON, a repeated key, white space) was changed; it is kept unchanged for a verifier to find. In one line,
 * tabs replace line feeds: both are white space, and neither is allowed in a text.
 */
export function restoreLine(text: string): string {
  const value = jsonOf(text);
  return value !== undefined && JSON.stringify(value) === text
    ? lineOf(value as LedgerEntry | Seal)
    : text.replaceAll('\n', '\t');
}

/** Splits at line feeds only; the one at the end of the last line starts no other. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** What has no RFC 8785 text (a lone surrogate in a store that was tampered with) is still written, and then found. */
function lineOf(value: LedgerEntry | Seal): string {
  try {
    return canonical(value);
  } catch {
    return JSON.stringify(value);
  }
}

/** What is wrong with a line alone, independent of other lines. */
interface LineFault {
  code: 'unreadable' | 'malformed' | 'edited' | 'not-canonical';
  /** In fixed words, to follow "the line". */
  detail: string;
}

/** The readable parts of one line of an exported ledger. */
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
  const value = jsonOf(text);
  if (value === undefined) return 'is not JSON';
  if (!isObject(value)) return 'is not a JSON object';
  return isDeeperThan(value, MAX_DEPTH) ? 'is nested too deeply' : value;
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

const FIELDS: Record<string, { holds: (value: unknown) => boolean; fault: string }> = {
  v: { holds: (value) => value === 1, fault: 'has another v than 1' },
  run_id: { holds: isCleanText, fault: 'has no usable run_id' },
  seq: {
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    fault: 'has a seq that is not a whole number',
  },
  prev: { holds: isHash, fault: 'has a prev that is not a hash' },
  at: { holds: isUtcTime, fault: 'has an at that is not an RFC 3339 UTC time with milliseconds' },
  kind: { holds: isCleanText, fault: 'has no usable kind' },
  data: { holds: isObject, fault: 'has data that is not an object' },
  hash: { holds: isHash, fault: 'has a hash that is not a hash' },
};
const NAMES = Object.keys(FIELDS);

/** What is wrong with the form of an entry (SPEC 5), to follow "the line"; null when nothing is. Quotes nothing. */
export function shapeFault(value: Record<string, unknown>): string | null {
  const missing = NAMES.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `has no ${missing}`;
  if (Object.keys(value).length > NAMES.length) return 'has a key that entries do not have';
  const wrong = NAMES.find((name) => FIELDS[name]?.holds(value[name]) === false);
  if (wrong !== undefined) return FIELDS[wrong]?.fault ?? null;
  return dataFault(value.data);
}

/** 64 lower-case hex digits. */
function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function dataFault(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return cleanText(value) === value ? null : 'contains DEL or a lone surrogate';
    case 'number':
      return Number.isSafeInteger(value) ? null : 'contains a number that is not an integer within 2^53';
    case 'object':
      if (value === null) return null;
      if (!Array.isArray(value) && Object.keys(value).some((key) => !/^[\x20-\x7e]+$/.test(key))) {
        return 'contains a key that is not printable ASCII';
      }
      return first(Object.values(value), dataFault);
    default:
      return null;
  }
}

function first<T, R>(items: T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

function isCleanText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && cleanText(value) === value;
}

function isUtcTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const time = Date.parse(value);
  return Number.isFinite(time) && new Date(time).toISOString() === value;
}

/** Whether `text`, which was parsed into `value`, is its RFC 8785 text. */
export function isCanonical(text: string, value: unknown): boolean {
  return isPlainlyCanonical(text, value) || canonicalOrNull(value) === text;
}

/**
 * A faster check that is right for nearly every text. JSON.stringify writes numbers and escapes as RFC 8785
 * does, and removes repeated keys and white space. So only the order of keys and lone surrogates remain to be
 * checked. It rejects keys like "10", which JavaScript reorders.
 */
function isPlainlyCanonical(text: string, value: unknown): boolean {
  return JSON.stringify(value) === text && !LONE_SURROGATE_ESCAPE.test(text) && hasSortedKeys(value);
}

/** JSON.stringify writes a lone surrogate as an escape, and nothing else from D800 to DFFF. */
const LONE_SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function hasSortedKeys(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  let before = '';
  for (const [key, item] of Object.entries(value)) {
    if (key < before || !hasSortedKeys(item)) return false;
    before = key;
  }
  return true;
}

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonical(value);
  } catch {
    return null;
  }
}

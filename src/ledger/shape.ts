import { canonical } from '../base/canonical.ts';
import { isObject } from '../base/json.ts';
import { cleanText } from './entry.ts';

const FIELDS: Record<string, { holds: (value: unknown) => boolean; fault: string }> = {
  v: { holds: (value) => value === 1, fault: 'has another v than 1' },
  run_id: { holds: isCleanText, fault: 'has no usable run_id' },
  seq: {
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    fault: 'has a seq that is not a whole number',
  },
  prev: {
    holds: isHash,
    fault: 'has a prev that is not a hash',
  },
  at: { holds: isUtcTime, fault: 'has an at that is not an RFC 3339 UTC time with milliseconds' },
  kind: { holds: isCleanText, fault: 'has no usable kind' },
  data: { holds: isObject, fault: 'has data that is not an object' },
  hash: {
    holds: isHash,
    fault: 'has a hash that is not a hash',
  },
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
export function isHash(value: unknown): value is string {
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

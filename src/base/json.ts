/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined for text that isn't JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; other text stays unchanged. */
export function jsonOrText(text: string): unknown {
  const value = jsonOf(text);
  return value === undefined ? text : value;
}

/** A value with every key in snake case, as `--json` prints keys. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (!isObject(value)) return value;
  const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [snake(key), snakeKeys(item)]));
}

/**
 * The number that a JSON literal denotes; null when a double can't represent it exactly: an integer past
 * 2^53-1, a number that is too large or too small, or too many digits. A literal is exact when it equals its
 * double written with the fewest digits or with as many digits as the literal. So `0.1` and a program's
 * `0.10000000000000001` are exact, and `1e-400` is not 0.
 */
export function keptNumber(literal: string): number | null {
  const value = Number(literal);
  if (!isExact(value)) return null;
  const written = partsOf(literal);
  const count = written.digits.length;
  if (count === 0 || isSame(written, partsOf(String(value)))) return value;
  return count <= MOST_DIGITS && isSame(written, partsOf(value.toPrecision(count))) ? value : null;
}

/** Whether every reader keeps a number exactly: it is finite, and an integer is within 2^53-1. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** The most digits that `toPrecision` writes. */
const MOST_DIGITS = 100;

interface Parts {
  digits: string;
  exponent: number;
}

function isSame(one: Parts, other: Parts): boolean {
  return one.digits === other.digits && one.exponent === other.exponent;
}

/**
 * A number as its significant digits, without zeros at either end, times a power of ten. The sign is kept.
 */
function partsOf(literal: string): Parts {
  const [mantissa = '', power = '0'] = literal.replace(/^[-+]/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const written = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = written.replace(/0+$/, '');
  return { digits, exponent: Number(power) - fraction.length + (written.length - digits.length) };
}

/** Nesting up to which a message of a client is read. Validators recurse: a few thousand levels would exhaust the stack. */
export const MAX_MESSAGE_DEPTH = 128;

/** Whether arrays and objects of a JSON value nest deeper than this. Follows no further than it has to. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}

/**
 * Whether two JSON values are the same value: equal exactly when their RFC 8785 texts are, but total (a lone
 * surrogate, which has no such text, is compared like any other code unit).
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      jsonEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

/** The value of an own key; inherited keys (`constructor`, `__proto__`) don't count. */
export function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value at a place; `found` is false for a missing one. */
export type LookUp = { found: true; value: unknown } | { found: false };

const MISSING: LookUp = { found: false };

/** The target of a JSON Pointer (RFC 6901). Own members only; an invalid pointer finds nothing. */
export function atPointer(root: unknown, pointer: string): LookUp {
  if ((pointer !== '' && !pointer.startsWith('/')) || /~(?![01])/.test(pointer)) return MISSING;
  let current: LookUp = { found: true, value: root };
  for (const token of pointer.split('/').slice(1)) {
    if (!current.found) return MISSING;
    current = memberOf(current.value, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return current;
}

/** A member of an object by its name, or of an array by its index. */
export function memberOf(value: unknown, name: string): LookUp {
  if (Array.isArray(value)) {
    if (!/^(?:0|[1-9][0-9]*)$/.test(name) || Number(name) >= value.length) return MISSING;
    return { found: true, value: value[Number(name)] };
  }
  if (!isObject(value) || !Object.hasOwn(value, name)) return MISSING;
  return { found: true, value: value[name] };
}

/** Keys that a solution may come wrapped in. */
export const SOLUTION_KEYS = ['solution', 'proof_of_work', 'proof_of_work_result'];

/**
 * Redacts every text and key in a JSON value. Of a solution, `nonce` and `proof_hash` stay, because they aren't secrets of the host;
 * keys of the same names elsewhere are redacted.
 */
export function redactValue(value: unknown, redact: (text: string) => string, isSolution = false): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key),
      isSolution && typeof item === 'string' && (key === 'nonce' || key === 'proof_hash')
        ? item
        : redactValue(item, redact, isSolution && SOLUTION_KEYS.includes(key)),
    ]),
  );
}

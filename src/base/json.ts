/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

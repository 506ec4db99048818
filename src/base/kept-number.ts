/**
 * The number that a literal of JSON writes; null when reading it would make another one of it: an integer past 2^53-1, what
 * is too large or too small for a double, digits that a double has no place for. A literal is kept when it is what its double
 * is written as with the fewest digits, or with as many, so that `0.1` and a program's `0.10000000000000001` are, and `1e-400` is not 0.
 */
export function keptNumber(literal: string): number | null {
  const value = Number(literal);
  if (!isExact(value)) return null;
  const written = partsOf(literal);
  const count = written.digits.length;
  if (count === 0 || isSame(written, partsOf(String(value)))) return value;
  return count <= MOST_DIGITS && isSame(written, partsOf(value.toPrecision(count))) ? value : null;
}

/** Whether a number is kept exactly by every reader: finite, and within 2^53-1 when it is whole. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** How many digits `toPrecision` writes. */
const MOST_DIGITS = 100;

interface Parts {
  digits: string;
  exponent: number;
}

function isSame(one: Parts, other: Parts): boolean {
  return one.digits === other.digits && one.exponent === other.exponent;
}

/** A number as its significant digits, without zeros at either end, times a power of ten. Signs are never lost. */
function partsOf(literal: string): Parts {
  const [mantissa = '', power = '0'] = literal.replace(/^[-+]/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const written = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = written.replace(/0+$/, '');
  return { digits, exponent: Number(power) - fraction.length + (written.length - digits.length) };
}

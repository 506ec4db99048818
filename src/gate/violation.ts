/**
 * One reason against a proposal. `message` is fixed text with plain names in it: other values of the proposal
 * stay at the pointer.
 */
export interface Violation {
  /** `V-PROP-…` as the specification names it, or `K-PROP-1xx` for a rule of kairos. */
  code: string;
  /** JSON Pointer (RFC 6901) into the proposal; empty: the whole of it. */
  pointer: string;
  message: string;
}

/** Appends reference tokens to a JSON Pointer, escaped as RFC 6901 wants it. */
export function pointerTo(pointer: string, ...tokens: (string | number)[]): string {
  return tokens.reduce<string>(
    (path, token) => `${path}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}

/** Makes violations of one code. */
export function violations(code: string): (pointer: string, message: string) => Violation {
  return (pointer, message) => ({ code, pointer, message });
}

/**
 * A value for a message. Agents obey messages, so only what can't be a sentence is shown: numbers, true,
 * false, null and single words. For everything else the kind is shown.
 */
export function describeValue(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return /^[\w.:@+/=-]{1,64}$/.test(value) ? JSON.stringify(value) : 'another text';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'another list';
  return 'another object';
}

/** How many reasons are listed; the rest is counted. */
const MAX_REASONS = 100;
const MAX_POINTER = 300;

/** The reasons of one rule in the order of their places, independent of the order of the submitted keys. */
export function byPointer(reasons: readonly Violation[]): Violation[] {
  return [...reasons].sort((a, b) => comparePointers(a.pointer, b.pointer));
}

/** Reasons of several codes, by code and then by place. */
export function byCode(reasons: readonly Violation[]): Violation[] {
  return byPointer(reasons).sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
}

/** Limits of an answer: the number of reasons, and the length of a pointer. */
export function bounded(reasons: readonly Violation[]): Violation[] {
  const kept = reasons
    .slice(0, MAX_REASONS)
    .map((reason) =>
      reason.pointer.length <= MAX_POINTER
        ? reason
        : { ...reason, pointer: `${reason.pointer.slice(0, MAX_POINTER)}…` },
    );
  const left = reasons.length - kept.length;
  return left === 0
    ? kept
    : [...kept, { code: 'K-PROP-198', pointer: '', message: `${left} more reasons are not listed.` }];
}

function comparePointers(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const [one, other] = [left[at]!, right[at]!];
    if (one === other) continue;
    const bothNumbers = /^[0-9]{1,15}$/.test(one) && /^[0-9]{1,15}$/.test(other);
    const difference = bothNumbers ? Number(one) - Number(other) : 0;
    return difference !== 0 ? difference : one < other ? -1 : 1;
  }
  return left.length - right.length;
}

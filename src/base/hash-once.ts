/**
 * The hash of a value, computed once and cached as long as the value lives, for frozen values only. Callers
 * must freeze a value deeply before they pass it.
 */
export function hashOnce<T extends object>(value: T, hash: (value: T) => string): string {
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const made = hash(value);
  if (Object.isFrozen(value)) hashes.set(value, made);
  return made;
}

const hashes = new WeakMap<object, string>();

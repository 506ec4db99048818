/**
 * The hash of a value, made once: it is remembered as long as the value lives, but only of one that is frozen. Whoever
 * freezes a value that comes here freezes it all the way down.
 */
export function hashOnce<T extends object>(value: T, hash: (value: T) => string): string {
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const made = hash(value);
  if (Object.isFrozen(value)) hashes.set(value, made);
  return made;
}

const hashes = new WeakMap<object, string>();

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

/** An object of JSON: not null, not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
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
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return MISSING;
  return { found: true, value: value[name] };
}

import { isJsonObject } from './json-equal.ts';

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

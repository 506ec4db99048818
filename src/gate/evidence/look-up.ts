import { isJsonObject } from '../../proof/json-equal.ts';

/** What a field of evidence holds; `found` false when it is not there. */
export type LookUp = { found: true; value: unknown } | { found: false };

const MISSING: LookUp = { found: false };

/** A JSON Pointer (RFC 6901) when it is empty or begins with `/`, else the name of a top-level member. Own members only. */
export function lookUp(packet: unknown, field: string): LookUp {
  if (field !== '' && !field.startsWith('/')) return member(packet, field);
  if (/~(?![01])/.test(field)) return MISSING;
  let current: LookUp = { found: true, value: packet };
  for (const token of field.split('/').slice(1)) {
    if (!current.found) return MISSING;
    current = member(current.value, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return current;
}

function member(value: unknown, name: string): LookUp {
  if (Array.isArray(value)) {
    if (!/^(?:0|[1-9][0-9]*)$/.test(name) || Number(name) >= value.length) return MISSING;
    return { found: true, value: value[Number(name)] };
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return MISSING;
  return { found: true, value: value[name] };
}

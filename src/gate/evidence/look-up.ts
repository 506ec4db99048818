import { atPointer, type LookUp, memberOf } from '../../proof/json-pointer.ts';

/** A JSON Pointer (RFC 6901) when it is empty or begins with `/`, else the name of a top-level member. Own members only. */
export function lookUp(packet: unknown, field: string): LookUp {
  return field === '' || field.startsWith('/') ? atPointer(packet, field) : memberOf(packet, field);
}

import { createHmac, hash } from 'node:crypto';
import canonicalizeJson from 'canonicalize';

/** RFC 8785 (JCS) text of a JSON value. Throws on values that JSON does not have (NaN, undefined at the top). */
export function canonical(value: unknown): string {
  const text = canonicalizeJson(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Lower-case hex SHA-256 of a UTF-8 text or of bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Lower-case hex HMAC-SHA-256 of a UTF-8 text. */
export function hmacHex(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** SHA-256 of the text `genesis`: the previous hash of the first proof and of the first ledger entry. */
export const GENESIS_HASH = 'aeebad4a796fcc2e15dc4c6061b45ed9b373f26adfc798ca7d2d8cc58182718e';

/** SHA-256 of a UTF-8 text in base64, as content security policies name scripts. */
export function sha256Base64(text: string): string {
  return hash('sha256', text, 'base64');
}

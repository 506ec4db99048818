import { sha256Hex } from '../base/canonical.ts';
import { cleanText, type EntryData } from '../ledger/entry.ts';
import { own } from './json-equal.ts';

/** How many bytes of an output are kept at either end (SPEC 5). */
export const KEPT_BYTES = 64 * 1024;

/** Room for the line between head and tail of an output that came cut already. */
const MARGIN = 128;

/**
 * The kept part of a command's output: all of it up to twice 64 KiB of UTF-8, else its head and tail with a
 * line between them, the full length (`stdout_bytes`) and the digest (`stdout_sha256`). An output that was
 * already cut includes both, which are kept.
 */
export function keptOutput(name: 'stdout' | 'stderr', payload: Record<string, unknown>): EntryData {
  const given = own(payload, name);
  if (typeof given !== 'string') return {};
  const text = cleanText(given);
  const bytes = Buffer.from(text);
  const known = measured(name, payload);
  if (bytes.length <= 2 * KEPT_BYTES + (known === null ? 0 : MARGIN)) return { [name]: text, ...known };
  const head = bytes.subarray(0, boundary(bytes, KEPT_BYTES)).toString();
  const tail = bytes.subarray(boundary(bytes, bytes.length - KEPT_BYTES)).toString();
  const dropped = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return {
    [name]: `${head}\n[... ${dropped} bytes left out ...]\n${tail}`,
    ...(known ?? { [`${name}_bytes`]: bytes.length, [`${name}_sha256`]: sha256Hex(bytes) }),
  };
}

function measured(name: string, payload: Record<string, unknown>): EntryData | null {
  const length = own(payload, `${name}_bytes`);
  const digest = own(payload, `${name}_sha256`);
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return null;
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return null;
  return { [`${name}_bytes`]: length, [`${name}_sha256`]: digest };
}

/** The nearest offset at or before `at` that does not split a character of UTF-8. */
function boundary(bytes: Buffer, at: number): number {
  let offset = at;
  while (offset > 0 && ((bytes[offset] ?? 0) & 0xc0) === 0x80) offset -= 1;
  return offset;
}

import { MAX_BYTES } from './limits.ts';
import type { Place, Problem } from './model.ts';
import { lineIndex, placeBetween } from './position.ts';

const START: Place = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
};
/** Code units that UTF-8 can't contain. */
const LONE_SURROGATE = /\p{Cs}/u;
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * Reads the bytes of a document as UTF-8, a BOM kept. A problem when they are not UTF-8, contain a NUL or are
 * too many.
 */
export function decodeSource(bytes: Uint8Array): { source: string } | { problem: Problem } {
  if (bytes.byteLength > MAX_BYTES) return { problem: tooLarge(bytes.byteLength) };
  const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const invalid = invalidAt(source, bytes);
  if (invalid !== -1) return { problem: invalidText(source, invalid, 'utf-8') };
  const problem = checkSource(source);
  return problem === null ? { source } : { problem };
}

/** What keeps a text from being parsed at all: its size, a NUL, half of a surrogate pair. */
export function checkSource(source: string): Problem | null {
  if (source.length * 3 > MAX_BYTES) {
    const size = Buffer.byteLength(source);
    if (size > MAX_BYTES) return tooLarge(size);
  }
  const nul = source.indexOf('\0');
  if (nul !== -1) return invalidText(source, nul, 'nul');
  const lone = LONE_SURROGATE.exec(source);
  return lone === null ? null : invalidText(source, lone.index, 'surrogate');
}

function tooLarge(size: number): Problem {
  return { code: 'document-too-large', severity: 'error', place: START, args: { size, limit: MAX_BYTES } };
}

function invalidText(source: string, offset: number, what: 'utf-8' | 'nul' | 'surrogate'): Problem {
  const place = placeBetween(lineIndex(source), offset, offset + 1);
  return { code: 'document-invalid-text', severity: 'error', place, args: { what } };
}

/** Where the decoder had to put a replacement character that the bytes do not have. */
function invalidAt(source: string, bytes: Uint8Array): number {
  let offset = 0;
  let byte = 0;
  for (let at = source.indexOf(REPLACEMENT); at !== -1; at = source.indexOf(REPLACEMENT, at + 1)) {
    byte += Buffer.byteLength(source.slice(offset, at));
    offset = at;
    if (!REPLACEMENT_BYTES.equals(bytes.subarray(byte, byte + 3))) return at;
  }
  return -1;
}

import type { Place, Point, Problem } from './model.ts';
import { MAX_SOURCE_BYTES } from './terms.ts';

/** Where the lines of a source text begin and end, to convert offsets to line and column. */
export interface LineIndex {
  /** Offset of the first character of each line. A BOM belongs to no line: line 1 begins after it. */
  readonly starts: readonly number[];
  /** Offset after the last character of each line, its line ending not counted. */
  readonly ends: readonly number[];
}

const BOM = 0xfeff;
const CR = 13;
const LF = 10;

/** The lines of a text. LF, CRLF and a lone CR end a line, as in CommonMark (section 2.1). */
export function lineIndex(source: string): LineIndex {
  // The next reader of a document asks about the same text.
  if (last.source !== source) last = { source, lines: findLines(source) };
  return last.lines;
}

let last: { source: string; lines: LineIndex } = { source: '', lines: { starts: [0], ends: [0] } };

/** As `lineIndex`, for a text that is read once. */
export function findLines(source: string): LineIndex {
  const starts: number[] = [];
  const ends: number[] = [];
  let start = source.charCodeAt(0) === BOM ? 1 : 0;
  if (source.includes('\r')) {
    for (let at = start; at < source.length; at += 1) {
      const code = source.charCodeAt(at);
      if (code !== LF && code !== CR) continue;
      starts.push(start);
      ends.push(at);
      if (code === CR && source.charCodeAt(at + 1) === LF) at += 1;
      start = at + 1;
    }
  } else {
    for (let at = source.indexOf('\n', start); at !== -1; at = source.indexOf('\n', start)) {
      starts.push(start);
      ends.push(at);
      start = at + 1;
    }
  }
  starts.push(start);
  ends.push(source.length);
  return { starts, ends };
}

/** The position of an offset; one inside a line ending counts to the line that it ends. */
export function pointAt(lines: LineIndex, offset: number): Point {
  const { starts } = lines;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1, offset };
}

/** The index of the first item below a line, of items in the order of the text. */
export function firstAfter(items: readonly { first: number }[], line: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.first > line) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The half-open range between two offsets. */
export function placeBetween(lines: LineIndex, start: number, end: number): Place {
  return { start: pointAt(lines, start), end: pointAt(lines, end) };
}

const START: Place = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } };
/** Code units that UTF-8 can't contain. */
const LONE_SURROGATE = /\p{Cs}/u;
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * Reads the bytes of a document as UTF-8, a BOM kept. A problem when they are not UTF-8, contain a NUL or are
 * too many.
 */
export function decodeSource(bytes: Uint8Array): { source: string } | { problem: Problem } {
  if (bytes.byteLength > MAX_SOURCE_BYTES) return { problem: tooLarge(bytes.byteLength) };
  const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const invalid = invalidAt(source, bytes);
  if (invalid !== -1) return { problem: invalidText(source, invalid, 'utf-8') };
  const problem = checkSource(source);
  return problem === null ? { source } : { problem };
}

/** What keeps a text from being parsed at all: its size, a NUL, half of a surrogate pair. */
export function checkSource(source: string): Problem | null {
  if (source.length * 3 > MAX_SOURCE_BYTES) {
    const size = Buffer.byteLength(source);
    if (size > MAX_SOURCE_BYTES) return tooLarge(size);
  }
  const nul = source.indexOf('\0');
  if (nul !== -1) return invalidText(source, nul, 'nul');
  const lone = LONE_SURROGATE.exec(source);
  return lone === null ? null : invalidText(source, lone.index, 'surrogate');
}

function tooLarge(size: number): Problem {
  return {
    code: 'document-too-large',
    severity: 'error',
    place: START,
    args: { what: 'bytes', size, limit: MAX_SOURCE_BYTES },
  };
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

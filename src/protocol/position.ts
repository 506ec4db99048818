import type { Place, Point } from './model.ts';

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

function findLines(source: string): LineIndex {
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

/** The half-open range between two offsets. */
export function placeBetween(lines: LineIndex, start: number, end: number): Place {
  return { start: pointAt(lines, start), end: pointAt(lines, end) };
}

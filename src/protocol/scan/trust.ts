import type { LineIndex } from '../position.ts';
import { cutFrontmatter, opensFrontmatter } from './frontmatter.ts';

/** ATX headings longer than this make commonmark.js slow: it looks for closing `#`s in quadratic time. */
const LONG_HEADING = 1000;

/** White space to JavaScript that is none to CommonMark. */
const OTHER_SPACE = /[^\S \t]/;
/** A line that is one tag: whether it may follow upon a text of another container is answered in two ways. */
const LONE_TAG = /^<\/?[A-Za-z][^<>]*>[ \t]*$/;
/** A list marker with nothing after it: so is this, when it follows upon a text. */
const EMPTY_ITEM = /(?:^|[ \t>])(?:[-*+]|\d+[.)])[ \t]*$/;

/** A numbered item inside an item or quote that begins on the same line; likewise. */
const NESTED_NUMBER = /[-*+>.)][ \t]*\d+[.)]/;

/**
 * Whether a document holds something on which commonmark.js and the reference may part ways: footnote definitions,
 * tables other than plain ones, white space that only one of them takes for white space, empty list items and HTML
 * right after a text. Found by comparing the two on millions of generated documents.
 */
export function needsReference(source: string, lines: LineIndex): boolean {
  if (/[\f\v]/.test(source) || (source.includes('\t') && source.includes(']:'))) return true;
  // What looks like frontmatter but is never closed keeps the reference from seeing any container after it.
  if (opensFrontmatter(source, lines) && cutFrontmatter(source, lines) === null) return true;
  const { starts, ends } = lines;
  for (let line = 0; line < starts.length; line += 1) {
    const start = starts[line]!;
    const end = ends[line]!;
    const at = skipPrefix(source, start, end);
    if (at - start > 2 && NESTED_NUMBER.test(source.slice(start, at)) && follows(source, lines, line))
      return true;
    if (at === end) {
      if (EMPTY_ITEM.test(source.slice(start, end)) && follows(source, lines, line)) return true;
      continue;
    }
    const code = source.charCodeAt(at);
    if (code === HASH && end - start > LONG_HEADING) return true;
    if (code === LESS_THAN) {
      const text = source.slice(at, end);
      if (OTHER_SPACE.test(text) || (LONE_TAG.test(text) && follows(source, lines, line))) return true;
    }
    if (code === BRACKET && definesFootnote(source, at, end)) return true;
    if ((code === PIPE || code === DASH || code === COLON) && isDelimiterRow(source, start, end)) {
      const after = plainTableEnd(source, lines, line);
      if (after === null) return true;
      line = after - 1;
    }
  }
  return false;
}

const HASH = 35;
const DASH = 45;
const COLON = 58;
const LESS_THAN = 60;
const BRACKET = 91;
const PIPE = 124;
const SPACE = 32;
const TAB = 9;

/** Past white space and whatever may be the markers of quotes and list items. */
function skipPrefix(source: string, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const code = source.charCodeAt(at);
    const marker =
      code === 62 || code === 42 || code === 43 || code === 46 || code === 41 || (code >= 48 && code <= 57);
    if (code !== SPACE && code !== TAB && !marker && !(code === DASH && isBulletAt(source, at, end)))
      return at;
    at += 1;
  }
  return end;
}

function isBulletAt(source: string, at: number, end: number): boolean {
  const next = at + 1 < end ? source.charCodeAt(at + 1) : SPACE;
  return next === SPACE || next === TAB;
}

function definesFootnote(source: string, at: number, end: number): boolean {
  if (source.charCodeAt(at + 1) !== 94) return false;
  const close = source.indexOf(']:', at);
  return close !== -1 && close < end;
}

/** Hyphens, and at least one colon or pipe: without them it would be a rule or underline a heading. */
function isDelimiterRow(source: string, start: number, end: number): boolean {
  let dashes = false;
  let marks = false;
  for (let at = start; at < end; at += 1) {
    const code = source.charCodeAt(at);
    if (code === DASH) dashes = true;
    else if (code === PIPE || code === COLON) marks = true;
    else if (code > 62 || (code >= 33 && code <= 40) || code === 44 || code === 47) return false;
  }
  return dashes && marks;
}

/**
 * The line after a table that stands between blank lines and has a pipe before each row: to both parsers it is one
 * piece of text. Null for any other table.
 */
function plainTableEnd(source: string, lines: LineIndex, delimiter: number): number | null {
  const { starts } = lines;
  const header = delimiter - 1;
  if (!isPipeRow(source, lines, delimiter) || header < 0 || !isPipeRow(source, lines, header)) return null;
  if (header > 0 && !isBlank(source, lines, header - 1)) return null;
  let line = delimiter + 1;
  while (line < starts.length && isPipeRow(source, lines, line)) line += 1;
  return line === starts.length || isBlank(source, lines, line) ? line : null;
}

/** Whether the line before has text. */
function follows(source: string, lines: LineIndex, line: number): boolean {
  return line > 0 && !isBlank(source, lines, line - 1);
}

function isPipeRow(source: string, lines: LineIndex, line: number): boolean {
  const start = lines.starts[line]!;
  let at = start;
  while (at < start + 3 && source.charCodeAt(at) === SPACE) at += 1;
  return source.charCodeAt(at) === PIPE;
}

function isBlank(source: string, lines: LineIndex, line: number): boolean {
  for (let at = lines.starts[line]!; at < lines.ends[line]!; at += 1) {
    const code = source.charCodeAt(at);
    if (code !== SPACE && code !== TAB) return false;
  }
  return true;
}

import type { LineIndex } from '../position.ts';
import { collapseSpace, type InnerBlock, type Lines, trimSpace } from './blocks.ts';

/** A document that is read plainly: no white space but spaces and LF. */
export interface FastPathReader {
  source: string;
  lines: LineIndex;
  /** Whether the document may contain link reference definitions or footnotes. */
  mayDefine: boolean;
}

/** Where the text of a line begins; its end for a blank one. */
export function textStart({ source, lines }: FastPathReader, line: number): number {
  const end = lines.ends[line]!;
  let at = lines.starts[line]!;
  while (at < end && source.charCodeAt(at) === 32) at += 1;
  return at;
}

export function isBlank(reader: FastPathReader, line: number): boolean {
  return textStart(reader, line) === reader.lines.ends[line];
}

/** The line of an offset that isn't above a line. */
export function lineFrom({ ends }: LineIndex, from: number, offset: number): number {
  let line = from;
  while (ends[line]! < offset) line += 1;
  return line;
}

/** The kind of the text from an offset to the end of a line. */
export function kindFrom({ source, lines, mayDefine }: FastPathReader, line: number, at: number): LineKind {
  if (mayDefine && source.charCodeAt(at) === 91) return 'unsure';
  return lineKind(source, at, lines.ends[line]!);
}

/** Only an item with the number one interrupts a paragraph. */
export function startsWithOne(source: string, at: number): boolean {
  return source[at] === '1' && !/\d/.test(source[at + 1]!);
}

/** The line that closes a fence whose container begins at a column; null when it is open at the end of that. */
export function fenceEnd(reader: FastPathReader, first: number, at: number, column: number): number | null {
  const { source, lines } = reader;
  const marks = markEnd(source, at, lines.ends[first]!) - at;
  for (let line = first + 1; line < lines.starts.length; line += 1) {
    const start = textStart(reader, line);
    const end = lines.ends[line]!;
    const indent = start - lines.starts[line]! - column;
    if (start === end) continue;
    if (indent < 0) return null;
    if (indent > 3 || source.charCodeAt(start) !== source.charCodeAt(at)) continue;
    const close = markEnd(source, start, end);
    if (close - start >= marks && trimSpace(source.slice(close, end)) === '') return line;
  }
  return null;
}

/** Adds a line to the open paragraph of a container, or begins one. */
export function addText(
  inner: InnerBlock[],
  open: InnerBlock | null,
  line: number,
  text: string,
): InnerBlock {
  if (open === null) return addBlock(inner, 'paragraph', { first: line, last: line }, `${text}\n`, null);
  open.last = line;
  open.value += `${text}\n`;
  return open;
}

export function addBlock(
  inner: InnerBlock[],
  type: InnerBlock['type'],
  { first, last }: Lines,
  value: string,
  info: string | null,
): InnerBlock {
  const language = info === null ? null : /^\S*/.exec(info)![0];
  const meta = info === null ? '' : info.slice(language!.length).trim();
  const block: InnerBlock = { type, first, last, value, language, meta, wholeItem: false };
  inner.push(block);
  return block;
}

/** The text of a heading without its closing sequence (CommonMark 4.2), in linear time. */
export function withoutClosing(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 35) end -= 1;
  if (end === text.length) return text;
  return end === 0 || text.charCodeAt(end - 1) === 32 ? trimSpace(text.slice(0, end)) : text;
}

/** A code span of one backtick each, no space at its ends (CommonMark 6.1): its text is unchanged. */
const CODE = /`([^` ](?:[^`]*[^` ])?)`/g;
/** Underscores inside a word mean nothing (CommonMark 6.2). */
const IN_WORD = /(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g;
/** What may be markup everywhere else, GFM's literal autolinks included. */
const MAY_BE_MARKUP = /[\\`*_~[\]<>@]|&[#A-Za-z]|:\/\/|www/i;

/** The plain text of a heading's markdown; null when it contains more than words and simple code spans. */
export function plainHeadingText(raw: string): string | null {
  const hasCode = raw.includes('`');
  const words = (hasCode ? raw.replace(CODE, '') : raw).replace(IN_WORD, '');
  if (MAY_BE_MARKUP.test(words)) return null;
  return collapseSpace(hasCode ? raw.replace(CODE, '$1') : raw);
}

/**
 * What a line begins, by its first character that isn't a space (CommonMark 4 and 5, GFM tables). `unsure`:
 * something rare that depends on the lines around it.
 */
type LineKind =
  | 'text'
  | 'heading'
  | 'fence'
  | 'comment'
  | 'quote'
  | 'rule'
  | 'bullet'
  | 'number'
  | 'row'
  | 'unsure';

/**
 * The kind of the text between two offsets, which begins with a character that isn't a space. Tabs are not
 * expected.
 */
function lineKind(source: string, at: number, end: number): LineKind {
  switch (source.charCodeAt(at)) {
    case HASH:
      return headingKind(source, at, end);
    case BACKTICK:
      if (runEnd(source, at, end) - at < 3) return 'text';
      return source.slice(runEnd(source, at, end), end).includes('`') ? 'unsure' : 'fence';
    case TILDE:
      return runEnd(source, at, end) - at < 3 ? 'text' : 'fence';
    case LESS_THAN:
      return source.startsWith('<!--', at) && !/^-?>/.test(source.slice(at + 4, at + 6))
        ? 'comment'
        : 'unsure';
    case GREATER_THAN:
      return 'quote';
    case DASH:
    case STAR:
    case PLUS:
      return markKind(source, at, end);
    case UNDERSCORE:
      return ruleKind(source, at, end) ?? 'text';
    case PIPE:
      return 'row';
    case COLON:
      return isMadeOf(source, at, end, '-|: ') ? 'unsure' : 'text';
    case EQUALS:
      return isMadeOf(source, at, end, '= ') ? 'unsure' : 'text';
    default:
      return isDigit(source.charCodeAt(at)) ? numberKind(source, at, end) : 'text';
  }
}

/** The offset after the marks of an ATX heading, a list item or a fence: the digits and delimiter of a number, or the same character again. */
export function markEnd(source: string, at: number, end: number): number {
  if (!isDigit(source.charCodeAt(at))) return runEnd(source, at, end);
  let next = at;
  while (next < end && isDigit(source.charCodeAt(next))) next += 1;
  return next + 1;
}

const HASH = 35;
const STAR = 42;
const PLUS = 43;
const DASH = 45;
const DOT = 46;
const COLON = 58;
const LESS_THAN = 60;
const EQUALS = 61;
const GREATER_THAN = 62;
const UNDERSCORE = 95;
const BACKTICK = 96;
const PIPE = 124;
const TILDE = 126;
const CLOSING = 41;
const SPACE = 32;

function headingKind(source: string, at: number, end: number): LineKind {
  const after = runEnd(source, at, end);
  if (after - at > 6) return 'text';
  return after === end || source.charCodeAt(after) === SPACE ? 'heading' : 'text';
}

function markKind(source: string, at: number, end: number): LineKind {
  const rule = source.charCodeAt(at) === PLUS ? plusKind(source, at, end) : ruleKind(source, at, end);
  if (rule !== null) return rule;
  if (source.charCodeAt(at + 1) === SPACE) return 'bullet';
  return source.charCodeAt(at) === DASH && isMadeOf(source, at, end, '-|: ') ? 'unsure' : 'text';
}

/** Three or more marks in a row and nothing else are a rule; fewer, or with spaces between them, may be many things. */
function ruleKind(source: string, at: number, end: number): LineKind | null {
  const marks = runEnd(source, at, end);
  if (marks < end && source.charCodeAt(marks) !== SPACE) return null;
  if (!isMadeOf(source, at, end, `${source[at]} `)) return null;
  return marks - at >= 3 && isMadeOf(source, marks, end, ' ') ? 'rule' : 'unsure';
}

/** An item without text, for one. */
function plusKind(source: string, at: number, end: number): LineKind | null {
  return isMadeOf(source, at, end, '+ ') ? 'unsure' : null;
}

function numberKind(source: string, at: number, end: number): LineKind {
  const after = markEnd(source, at, end);
  const delimiter = source.charCodeAt(after - 1);
  if (after - at > 10 || after > end || (delimiter !== DOT && delimiter !== CLOSING)) return 'text';
  if (isMadeOf(source, after, end, ' ')) return 'unsure';
  return source.charCodeAt(after) === SPACE ? 'number' : 'text';
}

function runEnd(source: string, at: number, end: number): number {
  const code = source.charCodeAt(at);
  let next = at + 1;
  while (next < end && source.charCodeAt(next) === code) next += 1;
  return next;
}

function isMadeOf(source: string, from: number, end: number, characters: string): boolean {
  for (let at = from; at < end; at += 1) {
    if (!characters.includes(source[at]!)) return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

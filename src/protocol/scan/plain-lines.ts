import type { LineIndex } from '../position.ts';
import { type InnerBlock, type Lines, trimSpace } from './blocks.ts';
import { type LineKind, lineKind, markEnd } from './line-kind.ts';

/** A document that is read plainly: no white space but spaces and LF. */
export interface PlainReader {
  source: string;
  lines: LineIndex;
  /** Whether the document may contain link reference definitions or footnotes. */
  mayDefine: boolean;
}

/** Where the text of a line begins; its end for a blank one. */
export function textStart({ source, lines }: PlainReader, line: number): number {
  const end = lines.ends[line]!;
  let at = lines.starts[line]!;
  while (at < end && source.charCodeAt(at) === 32) at += 1;
  return at;
}

export function isBlank(reader: PlainReader, line: number): boolean {
  return textStart(reader, line) === reader.lines.ends[line];
}

/** The kind of the text from an offset to the end of a line. */
export function kindFrom({ source, lines, mayDefine }: PlainReader, line: number, at: number): LineKind {
  if (mayDefine && source.charCodeAt(at) === 91) return 'unsure';
  return lineKind(source, at, lines.ends[line]!);
}

/** Only an item with the number one interrupts a paragraph. */
export function startsWithOne(source: string, at: number): boolean {
  return source[at] === '1' && !/\d/.test(source[at + 1]!);
}

/** The line that closes a fence whose container begins at a column; null when it is open at the end of that. */
export function fenceEnd(reader: PlainReader, first: number, at: number, column: number): number | null {
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

import type { LineIndex } from '../position.ts';
import { type Block, type HeadingBlock, type InnerBlock, type Scan, trimSpace } from './blocks.ts';
import { cutFrontmatter, opensFrontmatter } from './frontmatter.ts';
import { markEnd } from './line-kind.ts';
import { plainHeadingText } from './plain-heading.ts';
import {
  addText,
  fenceEnd,
  isBlank,
  kindFrom,
  type PlainReader,
  startsWithOne,
  textStart,
} from './plain-lines.ts';
import { readList } from './plain-list.ts';

/**
 * Finds the blocks of a document that is written as plainly as most are: headings with marks, fences, paragraphs, lists and
 * quotes of text, whole-line comments, tables with outer pipes. The same as the other scanners would, in a tenth of the time.
 * Null for a document that holds anything else, or anything on which parsers are known to differ.
 */
export function scanPlain(source: string, lines: LineIndex): Scan | null {
  // White space of another kind than spaces is read in several ways.
  if (/[^\S \n]/.test(source)) return null;
  const frontmatter = cutFrontmatter(source, lines);
  if (frontmatter === null && opensFrontmatter(source, lines)) return null;
  const reader: PlainReader = { source, lines, mayDefine: source.includes(']:') };
  const blocks: Block[] = [];
  for (let line = (frontmatter?.last ?? -1) + 1; line < lines.starts.length; ) {
    if (isBlank(reader, line)) {
      line += 1;
      continue;
    }
    const block = blockAt(reader, line);
    if (block === null) return null;
    blocks.push(block);
    line = block.last + 1;
  }
  return { frontmatter, blocks };
}

function blockAt(reader: PlainReader, line: number): Block | null {
  const { source, lines } = reader;
  const at = textStart(reader, line);
  if (at - lines.starts[line]! > 3) return null;
  switch (kindFrom(reader, line, at)) {
    case 'text':
      return paragraph(reader, line);
    case 'heading':
      return heading(reader, line, at);
    case 'fence': {
      const last = fenceEnd(reader, line, at, 0);
      return last === null ? null : { type: 'code', fenced: true, first: line, last };
    }
    case 'comment': {
      const close = source.indexOf('-->', at);
      return close === -1 ? null : { type: 'html', first: line, last: lineOf(lines, line, close) };
    }
    case 'rule':
      return { type: 'rule', first: line, last: line };
    case 'quote':
      return at === lines.starts[line] ? quote(reader, line) : null;
    case 'bullet':
    case 'number':
      return readList(reader, line);
    case 'row':
      return table(reader, line);
    default:
      return null;
  }
}

/** What may interrupt a paragraph does; what makes a heading of it, or might, makes the document not plain. */
function paragraph(reader: PlainReader, first: number): Block | null {
  for (let line = first + 1; ; line += 1) {
    const end = interruption(reader, line);
    if (end === 'unsure') return null;
    if (end === 'ends') return { type: 'paragraph', first, last: line - 1 };
  }
}

/** What a line does to a paragraph above it, which stands in no container that the line belongs to. */
function interruption(reader: PlainReader, line: number): 'ends' | 'goes-on' | 'unsure' {
  if (line >= reader.lines.starts.length) return 'ends';
  const at = textStart(reader, line);
  if (at === reader.lines.ends[line]) return 'ends';
  if (at - reader.lines.starts[line]! > 3) return 'goes-on';
  switch (kindFrom(reader, line, at)) {
    case 'text':
      return 'goes-on';
    case 'heading':
    case 'fence':
    case 'comment':
    case 'quote':
    case 'bullet':
      return 'ends';
    case 'number':
      return startsWithOne(reader.source, at) ? 'ends' : 'unsure';
    default:
      return 'unsure';
  }
}

/** Headings longer than this are read in quadratic time by others. */
const LONG_HEADING = 1000;

function heading({ source, lines }: PlainReader, line: number, at: number): HeadingBlock | null {
  const end = lines.ends[line]!;
  if (end - lines.starts[line]! > LONG_HEADING) return null;
  const after = markEnd(source, at, end);
  const depth = after - at;
  let raw = trimSpace(source.slice(after, end));
  if (raw.endsWith('#')) raw = trimSpace(raw.replace(/(?:^|[ ]+)#+$/, ''));
  const text = depth > 2 ? '' : plainHeadingText(raw);
  return text === null ? null : { type: 'heading', depth, text, first: line, last: line };
}

function lineOf({ ends }: LineIndex, from: number, offset: number): number {
  let line = from;
  while (ends[line]! < offset) line += 1;
  return line;
}

/** Rows between blank lines, or up to the end. */
function table(reader: PlainReader, first: number): Block | null {
  let last = first;
  while (last + 1 < reader.lines.starts.length && !isBlank(reader, last + 1)) {
    last += 1;
    const at = textStart(reader, last);
    if (at - reader.lines.starts[last]! > 3 || reader.source[at] !== '|') return null;
  }
  return { type: 'paragraph', first, last };
}

function quote(reader: PlainReader, first: number): Block | null {
  const { source, lines } = reader;
  const inner: InnerBlock[] = [];
  let open: InnerBlock | null = null;
  let line = first;
  for (; line < lines.starts.length && !isBlank(reader, line); line += 1) {
    const start = lines.starts[line]!;
    const end = lines.ends[line]!;
    if (source[start] === '>') {
      let at = start + (source[start + 1] === ' ' ? 2 : 1);
      const column = at;
      while (at < end && source[at] === ' ') at += 1;
      if (at === end) open = null;
      else {
        const isText = open !== null && at - column > 3;
        if (!isText && (at - column > 3 || kindFrom(reader, line, at) !== 'text')) return null;
        open = addText(inner, open, line, source.slice(at, end));
      }
      continue;
    }
    const then = open === null ? 'ends' : interruption(reader, line);
    if (then === 'unsure' || (then === 'ends' && source.charCodeAt(textStart(reader, line)) === 62))
      return null;
    if (then === 'ends') break;
    open = addText(inner, open, line, source.slice(textStart(reader, line), end));
  }
  return { type: 'quote', first, last: line - 1, inner };
}

import type { Place } from '../../protocol/model.ts';
import { lineIndex, placeBetween } from '../../protocol/position.ts';
import type { Block, ContainerBlock, Lines } from '../../protocol/scan/blocks.ts';
import { scan } from '../../protocol/scan/scan.ts';
import type { HtmlComment } from '../rule.ts';

/**
 * The HTML comments of a markdown text, in order: in HTML blocks, and in running text outside of code spans
 * (CommonMark sections 4.6 and 6.6). Comments in code blocks are code, and frontmatter is no markdown.
 */
export async function findComments(source: string): Promise<HtmlComment[]> {
  if (!source.includes('<!--')) return [];
  const lines = lineIndex(source);
  const { blocks } = await scan(source, lines);
  return blocks.flatMap(piecesOf).flatMap(({ first, last, isHtml }) => {
    const start = lines.starts[first]!;
    const end = lines.ends[last]!;
    const open = source.indexOf(OPEN, start);
    if (open === -1 || open >= end) return [];
    const ranges = isHtml ? commentsInHtml(source, start, end) : commentsInText(source, start, end);
    return ranges.map(([from, to]) => toComment(source, placeBetween(lines, from, to)));
  });
}

/** Lines that are one stretch of running text, or of HTML. */
interface Piece extends Lines {
  isHtml: boolean;
}

function piecesOf(block: Block): Piece[] {
  if (block.type === 'code' || block.type === 'rule') return [];
  return 'inner' in block ? piecesInside(block) : [piece(block, block.type === 'html')];
}

/** Headings and tables in a container are not told apart: each of their lines is a stretch of its own. */
function piecesInside({ first, last, inner }: ContainerBlock): Piece[] {
  const pieces: Piece[] = [];
  let line = first;
  for (const block of inner) {
    for (; line < block.first; line += 1) pieces.push(piece({ first: line, last: line }, false));
    if (block.type !== 'code') pieces.push(piece(block, block.type === 'html'));
    line = Math.max(line, block.last + 1);
  }
  for (; line <= last; line += 1) pieces.push(piece({ first: line, last: line }, false));
  return pieces;
}

function piece({ first, last }: Lines, isHtml: boolean): Piece {
  return { first, last, isHtml };
}

function toComment(source: string, place: Place): HtmlComment {
  const text = source.slice(place.start.offset + OPEN.length, place.end.offset);
  return { text: text.replace(/^-?>$|-->$/, ''), place };
}

const OPEN = '<!--';

function commentsInHtml(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  for (let at = start; at < end; ) {
    const range = commentAt(source, source.indexOf(OPEN, at), end);
    if (range === null) break;
    found.push(range);
    at = range[1];
  }
  return found;
}

/** Backslashes escape, and code spans hide what they hold. */
function commentsInText(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  let at = start;
  while (at < end) {
    const char = source[at];
    if (char === '\\') at += 2;
    else if (char === '`') at = skipCodeSpan(source, at, end);
    else if (char === '<' && source.startsWith(OPEN, at)) {
      const range = commentAt(source, at, end);
      if (range !== null) found.push(range);
      at = range?.[1] ?? at + OPEN.length;
    } else at += 1;
  }
  return found;
}

/** `<!-->` and `<!--->` are whole comments. */
function commentAt(source: string, open: number, end: number): [number, number] | null {
  if (open === -1 || open >= end) return null;
  const short = /^-?>/.exec(source.slice(open + OPEN.length, open + OPEN.length + 2));
  if (short !== null) return [open, open + OPEN.length + short[0].length];
  const close = source.indexOf('-->', open + OPEN.length);
  return close === -1 || close + 3 > end ? null : [open, close + 3];
}

/** A run of backticks is closed by the next run of the same length; unclosed, it is text. */
function skipCodeSpan(source: string, open: number, end: number): number {
  let at = open;
  while (source[at] === '`') at += 1;
  const length = at - open;
  const after = at;
  while (at < end) {
    if (source[at] !== '`') {
      at += 1;
      continue;
    }
    const run = at;
    while (source[at] === '`') at += 1;
    if (at - run === length) return at;
  }
  return after;
}

import { COMMENT_OPEN, commentsInHtml, commentsInText, skipCodeSpan } from '../../protocol/comments.ts';
import type { Place } from '../../protocol/model.ts';
import { type LineIndex, lineIndex, placeBetween } from '../../protocol/position.ts';
import type { Block, ContainerBlock, Lines } from '../../protocol/scan/blocks.ts';
import { scan } from '../../protocol/scan/scan.ts';
import type { HtmlComment, RelativeLink } from '../rule.ts';

/** What no relative path begins with or contains: a scheme, a site path, an anchor, a template of another program. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+-]*:|[/#?]|$)|[{}$<]/i;
const DEFINITION = /^ {0,3}\[[^\]\r\n]+\]:[ \t]*<?([^\s>]+)/;
/** Longer than any path that a file system accepts. */
const MAX_TARGET = 1024;

/**
 * Finds the relative links of a document, in order: inline links, images and reference definitions. Text in code and in HTML
 * has no links. Needs linear time on any text.
 */
export async function findLinks(source: string): Promise<RelativeLink[]> {
  if (!source.includes('](') && !source.includes(']:')) return [];
  const lines = lineIndex(source);
  const found: RelativeLink[] = [];
  const add = (start: number, end: number) => {
    const target = source.slice(start, end);
    const path = pathOf(target);
    if (path !== null && !ELSEWHERE.test(target)) found.push({ path, start, end });
  };
  const { pieces, isCode } = await textPieces(source, lines);
  for (const { first, last, isHtml } of pieces) {
    if (!isHtml) inlineTargets(source, lines.starts[first]!, lines.ends[last]!, add);
  }
  if (source.includes(']:')) {
    for (const [line, start] of lines.starts.entries()) {
      const match = isCode(line) ? null : DEFINITION.exec(source.slice(start, lines.ends[line]));
      if (match !== null) add(start + match[0].length - match[1]!.length, start + match[0].length);
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Reports the destination of each `[text](destination)` in a range of running text (CommonMark 6.3). */
function inlineTargets(
  source: string,
  start: number,
  end: number,
  add: (start: number, end: number) => void,
): void {
  const runs = new Map<number, number>();
  let open = 0;
  let close = -1;
  for (let at = start; at < end; ) {
    const char = source[at];
    if (char === '\\') at += 2;
    else if (char === '`') at = skipCodeSpan(source, at, end, runs);
    else {
      if (char === '[') open += 1;
      else if (char === ']' && open > 0) {
        open -= 1;
        if (source[at + 1] === '(') {
          if (close < at) close = nextClose(source, at, end);
          if (close !== -1 && close - at <= MAX_TARGET)
            addTarget(source, at + 2, Math.min(end, at + MAX_TARGET), add);
          if (close === -1) return;
        }
      }
      at += 1;
    }
  }
}

function nextClose(source: string, from: number, end: number): number {
  const at = source.slice(from, end).indexOf(')');
  return at === -1 ? -1 : from + at;
}

/** `<destination>` or a run without spaces in which parentheses are balanced, then a title or the closing parenthesis. */
function addTarget(
  source: string,
  from: number,
  end: number,
  add: (start: number, end: number) => void,
): void {
  const text = source.slice(from, end);
  const [lead = ''] = /^\s*/.exec(text)!;
  const rest = text.slice(lead.length);
  const inAngles = /^<([^<>\r\n]*)>(?=\s*\)|\s+["'(])/.exec(rest);
  if (inAngles !== null) {
    const start = from + lead.length + 1;
    add(start, start + inAngles[1]!.length);
    return;
  }
  let depth = 0;
  let at = 0;
  for (; at < rest.length; at += 1) {
    const char = rest[at]!;
    if (char === '\\') at += 1;
    else if (char === '(') depth += 1;
    else if (char === ')') {
      if (depth === 0) break;
      depth -= 1;
    } else if (/\s/.test(char)) break;
  }
  const isClosed = rest[at] === ')' || /^\s+(?:\)|["'(])/.test(rest.slice(at, at + 80));
  if (at > 0 && depth === 0 && isClosed) add(from + lead.length, from + lead.length + at);
}

/** The path without query, fragment and line number; null when it can't be decoded. */
function pathOf(target: string): string | null {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/s, '').replace(/(?::\d+){1,2}$/, ''));
  } catch {
    return null;
  }
}

/**
 * Finds the HTML comments of a markdown text, in order: in HTML blocks, and in running text outside of code spans
 * (CommonMark sections 4.6 and 6.6). Comments in code blocks are code, and frontmatter isn't markdown.
 */
export async function findComments(source: string): Promise<HtmlComment[]> {
  if (!source.includes(COMMENT_OPEN)) return [];
  const lines = lineIndex(source);
  const { pieces } = await textPieces(source, lines);
  return pieces.flatMap(({ first, last, isHtml }) => {
    const start = lines.starts[first]!;
    const end = lines.ends[last]!;
    const ranges = isHtml ? commentsInHtml(source, start, end) : commentsInText(source, start, end);
    return ranges.map(([from, to]) => toComment(source, placeBetween(lines, from, to)));
  });
}

/** The text and HTML of a document without its code, piece by piece, and whether a line (0-based) is code. */
async function textPieces(
  source: string,
  lines: LineIndex,
): Promise<{ pieces: Piece[]; isCode: (line: number) => boolean }> {
  const { frontmatter, blocks } = await scan(source, lines);
  const code: Lines[] = frontmatter === null ? [] : [frontmatter];
  for (const block of blocks) {
    if ('inner' in block) code.push(...block.inner.filter(({ type }) => type === 'code'));
    else if (block.type === 'code') code.push(block);
  }
  let next = 0;
  return {
    pieces: blocks.flatMap(piecesOf),
    // Lines are asked for in order, so that one look at each block is enough.
    isCode: (line) => {
      while (next < code.length && code[next]!.last < line) next += 1;
      return next < code.length && code[next]!.first <= line;
    },
  };
}

/** Lines that are one stretch of running text, or of HTML. */
interface Piece extends Lines {
  isHtml: boolean;
}

function piecesOf(block: Block): Piece[] {
  if (block.type === 'code' || block.type === 'rule') return [];
  return 'inner' in block ? piecesInside(block) : [piece(block, block.type === 'html')];
}

/** Headings and tables in a container are not distinguished: each of their lines is a separate stretch. */
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
  const text = source.slice(place.start.offset + COMMENT_OPEN.length, place.end.offset);
  return { text: text.replace(/^-?>$|-->$/, ''), place };
}

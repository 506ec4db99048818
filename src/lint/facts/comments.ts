import { COMMENT_OPEN, commentsInHtml, commentsInText } from '../../protocol/comments.ts';
import type { Place } from '../../protocol/model.ts';
import { type LineIndex, lineIndex, placeBetween } from '../../protocol/position.ts';
import type { Block, ContainerBlock, Lines } from '../../protocol/scan/blocks.ts';
import { scan } from '../../protocol/scan/scan.ts';
import type { HtmlComment } from '../rule.ts';

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
export async function textPieces(
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
export interface Piece extends Lines {
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

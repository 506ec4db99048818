import { Parser } from 'commonmark';
import type { Place } from '../../protocol/model.ts';
import type { LineIndex } from '../../protocol/position.ts';
import type { HtmlComment } from '../rule.ts';

/**
 * The HTML comments of a markdown text, in order: in HTML blocks, and in running text outside of code spans
 * (CommonMark sections 4.6 and 6.6). Comments in code blocks are code.
 */
export function findComments(
  source: string,
  lines: LineIndex,
  place: (start: number, end: number) => Place,
): HtmlComment[] {
  if (!source.includes('<!--')) return [];
  const found: HtmlComment[] = [];
  for (const { first, last, isHtml } of textBlocks(source)) {
    const start = lines.starts[first]!;
    const end = lines.ends[Math.min(last, lines.ends.length - 1)]!;
    const ranges = isHtml ? commentsInHtml(source, start, end) : commentsInText(source, start, end);
    for (const [from, to] of ranges) {
      found.push({ text: source.slice(from + 4, to - 3), place: place(from, to) });
    }
  }
  return found;
}

interface TextBlock {
  /** 0-based lines, `last` inclusive. */
  first: number;
  last: number;
  isHtml: boolean;
}

function textBlocks(source: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  const walker = new Parser().parse(source).walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event;
    const isHtml = node.type === 'html_block';
    if (!entering || (!isHtml && node.type !== 'paragraph' && node.type !== 'heading')) continue;
    const [[first], [last]] = node.sourcepos;
    blocks.push({ first: first - 1, last: last - 1, isHtml });
  }
  return blocks;
}

function commentsInHtml(source: string, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  for (let at = start; at < end; ) {
    const range = commentAt(source, source.indexOf('<!--', at), end);
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
    else if (char === '<' && source.startsWith('<!--', at)) {
      const range = commentAt(source, at, end);
      if (range !== null) found.push(range);
      at = range?.[1] ?? at + 4;
    } else at += 1;
  }
  return found;
}

function commentAt(source: string, open: number, end: number): [number, number] | null {
  if (open === -1 || open >= end) return null;
  const close = source.indexOf('-->', open + 4);
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

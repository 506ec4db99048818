import { skipCodeSpan } from '../../protocol/comments.ts';
import { lineIndex } from '../../protocol/position.ts';
import type { RelativeLink } from '../rule.ts';
import { textPieces } from './comments.ts';

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

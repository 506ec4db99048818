import type { LineIndex } from './position.ts';
import type { Lines } from './scan/blocks.ts';

/** Lines that are left out, and the text that stays in their place. */
export interface Cut extends Lines {
  kept: string;
}

/**
 * The markdown of some lines without those that are cut: no blank lines at the beginning, no white space at
 * the end, lines ended by LF. The text around the cut stays two pieces.
 */
export function bodyText(source: string, lines: LineIndex, { first, last }: Lines, cut: Cut | null): string {
  if (cut === null) return trimBlank(slice(source, lines, first, last));
  const upToCut = trimBlank(slice(source, lines, first, cut.first - 1));
  const before = [upToCut, cut.kept].filter((part) => part !== '').join('\n\n');
  const after = trimBlank(slice(source, lines, cut.last + 1, last));
  if (before === '' || after === '') return before + after;
  // Without a comment between them, a list would include the indented text.
  return /^[ \t]/.test(after) ? `${before}\n\n<!-- -->\n\n${after}` : `${before}\n\n${after}`;
}

function slice(source: string, { starts, ends }: LineIndex, first: number, last: number): string {
  if (last < first) return '';
  const text = source.slice(starts[first], ends[last]);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The first line keeps its indentation, which may make it code. */
function trimBlank(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = 0;
  for (let at = 0; at < end && isSpace(text.charCodeAt(at)); at += 1) {
    if (text.charCodeAt(at) === LF) start = at + 1;
  }
  return text.slice(start, end);
}

const LF = 10;

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === LF;
}

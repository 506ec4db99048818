import { sep } from 'node:path';
import { type DiffLine, diffLines } from './line-diff.ts';

const CONTEXT = 3;

/**
 * A unified diff of two texts, for `patch` and `git apply`; empty when they are equal. Line endings are part
 * of the lines.
 */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return '';
  const lines = numbered(diffLines(before, after), before, after);
  const text = hunksOf(lines).map(formatHunk).join('');
  const path = name.split(sep).join('/').replace(/^\/+/, '');
  return `--- ${quoted(`a/${path}`)}\n+++ ${quoted(`b/${path}`)}\n${text}`;
}

/** Names with line breaks, quotes or other special characters are quoted as in C, which git reads. */
function quoted(path: string): string {
  const escaped = path.replace(/["\\\x00-\x1f\x7f]/g, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return escaped === path ? path : `"${escaped}"`;
}

interface NumberedLine extends DiffLine {
  /** 1-based next lines of the two texts. */
  oldLine: number;
  newLine: number;
  /** The last line of a text that does not end with a line break. */
  isUnended: boolean;
}

/** An empty text after the last line break isn't a line. */
function numbered(diff: readonly DiffLine[], before: string, after: string): NumberedLine[] {
  const lastOld = before.split('\n').length;
  const lastNew = after.split('\n').length;
  let oldLine = 1;
  let newLine = 1;
  const lines: NumberedLine[] = [];
  for (const line of diff) {
    const isLast = line.mark === '+' ? newLine === lastNew : oldLine === lastOld;
    lines.push({ ...line, oldLine, newLine, isUnended: isLast });
    if (line.mark !== '+') oldLine += 1;
    if (line.mark !== '-') newLine += 1;
  }
  return lines.flatMap(splitLast).filter(({ text, isUnended }) => text !== '' || !isUnended);

  /** The same text, but only one of the two has a line break at its end: a change. */
  function splitLast(line: NumberedLine): NumberedLine[] {
    const isLastOld = line.mark !== '+' && line.oldLine === lastOld;
    const isLastNew = line.mark !== '-' && line.newLine === lastNew;
    if (line.mark !== ' ' || isLastOld === isLastNew) return [line];
    return [
      { ...line, mark: '-', isUnended: isLastOld },
      { ...line, mark: '+', oldLine: line.oldLine + 1, isUnended: isLastNew },
    ];
  }
}

function hunksOf(lines: readonly NumberedLine[]): NumberedLine[][] {
  const hunks: NumberedLine[][] = [];
  let lastEnd = 0;
  lines.forEach(({ mark }, at) => {
    if (mark === ' ') return;
    const start = Math.max(at - CONTEXT, 0);
    const end = Math.min(at + CONTEXT + 1, lines.length);
    const open = hunks.at(-1);
    if (open === undefined || start > lastEnd) hunks.push(lines.slice(start, end));
    else open.push(...lines.slice(lastEnd, end));
    lastEnd = end;
  });
  return hunks;
}

function formatHunk(lines: readonly NumberedLine[]): string {
  const first = lines[0]!;
  const olds = lines.filter(({ mark }) => mark !== '+').length;
  const news = lines.filter(({ mark }) => mark !== '-').length;
  const body = lines
    .map(
      ({ mark, text, isUnended }) => `${mark}${text}\n${isUnended ? '\\ No newline at end of file\n' : ''}`,
    )
    .join('');
  return `@@ -${range(first.oldLine, olds)} +${range(first.newLine, news)} @@\n${body}`;
}

/** An empty range is named by the line before it. */
function range(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`;
  return count === 1 ? `${start}` : `${start},${count}`;
}

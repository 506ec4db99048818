import { sep } from 'node:path';
import type { Output } from '../output.ts';

/** A line of a comparison: kept, removed or added. */
export interface DiffLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/**
 * Above this number of changed lines, the middle is shown as removed and added as a whole: complete, but less
 * neat.
 */
const MAX_EDITS = 500;

/** Compares two texts line by line: the shortest edit (Myers, 1986) between what both begin and end with. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    ...lines(' ', a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...lines(' ', a.slice(a.length - tail)),
  ];
}

/** Only the changes, each with up to `context` unchanged lines around it; omitted parts are null. */
export function hunks(diff: readonly DiffLine[], context: number): (DiffLine | null)[] {
  const near = diff.map((_, at) =>
    diff.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== ' '),
  );
  return diff.flatMap((line, at) => {
    if (near[at]) return [line];
    return at === 0 || near[at - 1] ? [null] : [];
  });
}

function middle(a: string[], b: string[]): DiffLine[] {
  const traces = shortestEdit(a, b);
  return traces === null ? [...lines('-', a), ...lines('+', b)] : backtrack(a, b, traces);
}

/** How far along `a` each diagonal (place in `a` minus place in `b`) has been reached. */
type Reached = Map<number, number>;

/** The reached places before each round of edits; null when too many rounds are needed. */
function shortestEdit(a: string[], b: string[]): Reached[] | null {
  const reached: Reached = new Map([[1, 0]]);
  const traces: Reached[] = [];
  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits += 1) {
    traces.push(new Map(reached));
    for (let k = -edits; k <= edits; k += 2) {
      const from = cameFrom(reached, k, edits);
      let x = (reached.get(from) as number) + (from < k ? 1 : 0);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reached.set(k, x);
      if (x >= a.length && x - k >= b.length) return traces;
    }
  }
  return null;
}

/** The diagonal that leads to this one: from above by adding a line, from below by removing one. */
function cameFrom(reached: Reached, k: number, edits: number): number {
  if (k === -edits) return k + 1;
  if (k === edits) return k - 1;
  return (reached.get(k - 1) as number) < (reached.get(k + 1) as number) ? k + 1 : k - 1;
}

function backtrack(a: string[], b: string[], traces: Reached[]): DiffLine[] {
  const found: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = traces.length - 1; edits >= 0; edits -= 1) {
    const reached = traces[edits] as Reached;
    const from = cameFrom(reached, x - y, edits);
    const startX = reached.get(from) as number;
    const startY = startX - from;
    for (; x > startX && y > startY; x -= 1, y -= 1) found.push({ mark: ' ', text: a[x - 1] as string });
    if (edits === 0) break;
    if (x === startX) found.push({ mark: '+', text: b[startY] as string });
    else found.push({ mark: '-', text: a[startX] as string });
    x = startX;
    y = startY;
  }
  return found.reverse();
}

function lines(mark: DiffLine['mark'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ mark, text }));
}

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

/** Prints what a fix, a format or a migration would change. */
export function showChanges(
  changes: readonly { document: { name: string | undefined }; before: string; after: string }[],
  output: Output,
): void {
  for (const { document, before, after } of changes) {
    output.document(unifiedDiff(document.name ?? 'stdin', before, after));
  }
}

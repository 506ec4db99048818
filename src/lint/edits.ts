import type { Fix } from './message.ts';

/** The text that edits make, and how many of them were made. */
export interface Applied {
  text: string;
  count: number;
  made: Made[];
}

/** An applied edit: its place in the old text, and the length of the new text. */
export interface Made {
  start: number;
  end: number;
  length: number;
}

const BOM = '\ufeff';

/**
 * Applies minimal text edits in one round, ordered by place. An edit that overlaps or touches an earlier one
 * waits for the next round, where it may no longer be needed. Text outside the ranges is unchanged, a BOM
 * stays in front, and inserted line breaks match the line around them. Throws on an invalid range.
 */
export function applyEdits(source: string, edits: readonly Fix[]): Applied {
  const first = source.startsWith(BOM) ? BOM.length : 0;
  let text = '';
  let done = 0;
  let lastEnd = -1;
  const made: Made[] = [];
  for (const { range, replacement } of edits.toSorted(byPlace)) {
    const start = Math.max(range[0], first);
    const end = Math.max(range[1], first);
    if (!(range[0] >= 0 && start <= end && end <= source.length)) {
      throw new RangeError(`an edit of ${range.join('..')} in a text of ${source.length}`);
    }
    if (start <= lastEnd) continue;
    const inserted = withLineEnding(replacement, source, start);
    if (inserted === source.slice(start, end)) continue;
    text += source.slice(done, start) + inserted;
    done = end;
    lastEnd = end;
    made.push({ start, end, length: inserted.length });
  }
  return { text: text + source.slice(done), count: made.length, made };
}

/** From which stretch of the old text a character of the new one comes: itself, or all in whose place it was put. */
export function originOf(made: readonly Made[], offset: number): readonly [start: number, end: number] {
  let shift = 0;
  for (const { start, end, length } of made) {
    const at = start + shift;
    if (offset < at) break;
    if (offset < at + length) return [start, end];
    shift += length - (end - start);
  }
  return [offset - shift, offset - shift + 1];
}

/** Of two at one place the shorter one first, then by their text: the order of the input doesn't matter. */
function byPlace(a: Fix, b: Fix): number {
  const byRange = a.range[0] - b.range[0] || a.range[1] - b.range[1];
  if (byRange !== 0 || a.replacement === b.replacement) return byRange;
  return a.replacement < b.replacement ? -1 : 1;
}

/** Line breaks of a replacement are written as LF; a text with CRLF or CR gets its own. */
function withLineEnding(replacement: string, source: string, at: number): string {
  if (!replacement.includes('\n')) return replacement;
  const ending = lineEndingNear(source, at);
  return ending === '\n' ? replacement : replacement.replace(/\r\n|\n/g, ending);
}

/** That of the line at the offset; on the last line, which has none, that of the line before. */
function lineEndingNear(source: string, at: number): string {
  const after = /\r\n|\r|\n/.exec(source.slice(at));
  if (after !== null) return after[0] === '\n' && source[at - 1] === '\r' ? '\r\n' : after[0];
  const before = Math.max(source.lastIndexOf('\n'), source.lastIndexOf('\r'));
  if (before === -1) return '\n';
  return source[before] === '\n' && source[before - 1] === '\r' ? '\r\n' : source[before]!;
}

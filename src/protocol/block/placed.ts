import type { Place } from '../model.ts';
import { type LineIndex, placeBetween } from '../position.ts';
import type { InnerBlock, Lines } from '../scan/blocks.ts';
import { trimmedEnd } from './fence.ts';
import type { PlacedText } from './mislaid-lines.ts';

/**
 * The source of some lines, without white space after them. Every line ends in LF, for every line end of the
 * source.
 */
export function placedLines(source: string, lines: LineIndex, { first, last }: Lines): PlacedText {
  const start = lines.starts[first]!;
  const end = trimmedEnd(source, start, lines.ends[last]!);
  const text = source.slice(start, end);
  const lead = text.length - text.trimStart().length;
  return {
    text: text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text,
    place: (from, to) => placeBetween(lines, start + (from === 0 ? lead : from), start + to),
  };
}

/** The text of a block inside a container; its lines are looked up in the lines of the source. */
export function placedInner(source: string, lines: LineIndex, block: InnerBlock): PlacedText {
  return { text: block.value, place: (start, end) => innerPlace(source, lines, block, start, end) };
}

function innerPlace(source: string, lines: LineIndex, block: InnerBlock, start: number, end: number): Place {
  const { value, first, language } = block;
  const rows = value.split('\n');
  const isFenced = block.type === 'code' && language !== null;
  const firstRow = first + (isFenced ? 1 : 0);
  const lineOf = (row: number): string => source.slice(lines.starts[row], lines.ends[row]);
  // A fence that its container ends has no closing line.
  const isOpen = isFenced && !/(?:`{3,}|~{3,})[ \t]*$/.test(lineOf(block.last));
  const last = isOpen ? Math.min(block.last, first + rows.length) : block.last;
  const toSource = (offset: number): number => {
    const before = value.slice(0, offset);
    const row = before.split('\n').length - 1;
    const line = Math.min(firstRow + row, last);
    const text = (rows[row] ?? '').trim();
    const column =
      offset -
      before.lastIndexOf('\n') -
      1 -
      ((rows[row] ?? '').length - (rows[row] ?? '').trimStart().length);
    const begin = Math.max(lineOf(line).lastIndexOf(text), 0);
    return lines.starts[line]! + Math.min(begin + Math.max(column, 0), lineOf(line).length);
  };
  const isWhole = start === 0 && end === value.length;
  if (!isWhole) return placeBetween(lines, toSource(start), Math.max(toSource(start), toSource(end)));
  const lead = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*/.exec(lineOf(first))![0].length;
  const from = lines.starts[first]! + lead;
  return placeBetween(lines, from, trimmedEnd(source, from, lines.ends[last]!));
}

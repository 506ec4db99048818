import { trimmedEnd } from '../block/fence.ts';
import { COMMENT_OPEN, commentsInText } from '../comments.ts';
import type { Place, Problem } from '../model.ts';
import type { Section } from '../outline.ts';
import { type LineIndex, placeBetween } from '../position.ts';
import type { InnerBlock, Lines } from '../scan/blocks.ts';
import { cellsOf, matchProofLine, type ProofLine, tableStart } from './proof-line.ts';

/** A text and how to point into it: by offset, or only by line (a text inside a container has lost its prefixes). */
export interface PlacedText {
  text: string;
  place(start: number, end: number): Place;
}

/**
 * Proof lines where none is read: in a list with more in its item, in a quote, in HTML. A comment may
 * surround them.
 */
export function misplacedLines(placed: PlacedText, where: string): Problem[] {
  if (!PROOF.test(placed.text)) return [];
  const rows = [...textLines(placed.text)].filter(({ line }) => !line.startsWith('|'));
  const found = rows.flatMap(({ line, start }) => lineAt(line, start, placed, where) ?? []);
  const told = new Set(found.map(({ place }) => place.start.offset));
  return [...found, ...linesInComments(placed).filter(({ place }) => !told.has(place.start.offset))];
}

/** Proof lines in a top-level text that don't count, because they are in a table or in a comment. */
export function linesInText(placed: PlacedText): Problem[] {
  return PROOF.test(placed.text) ? [...linesInTable(placed), ...linesInComments(placed)] : [];
}

/** Proof lines in the comments of a text. */
export function linesInComments(placed: PlacedText): Problem[] {
  const { text } = placed;
  if (!text.includes(COMMENT_OPEN)) return [];
  return commentsInText(text, 0, text.length).flatMap(([from, to]) =>
    [...textLines(text.slice(from, to))].flatMap(
      ({ line, start }) => lineAt(line, from + start, placed, 'html') ?? [],
    ),
  );
}

/** Indented code of only proof lines wasn't meant as code; a line among others is an example. */
export function lonelyLines(placed: PlacedText, where: string): Problem[] {
  if (!PROOF.test(placed.text)) return [];
  const rows = [...textLines(placed.text)].filter(({ line }) => line !== '');
  const found = rows.flatMap(({ line, start }) => lineAt(line, start, placed, where) ?? []);
  return found.length === rows.length ? found : [];
}

/** Lines of a text without the white space around them. */
export function* textLines(text: string): Generator<{ line: string; start: number; indent: number }> {
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const written = text.slice(start, end);
    const line = written.trim();
    const indent = written.length - written.trimStart().length;
    yield { line, start: start + indent, indent };
    start = end + 1;
  }
}

const PROOF = /proof/i;
/** What may precede a line in HTML. */
const COMMENT = /^<!--+[ \t]*/;

function linesInTable(placed: PlacedText): Problem[] {
  if (!placed.text.includes('|')) return [];
  const rows = [...textLines(placed.text)];
  const first = tableStart(placed.text.split('\n'));
  if (first === -1) return [];
  return rows.slice(first).flatMap(({ line, start }) =>
    cellsOf(line).flatMap(({ text, start: at }) => {
      const isLine = (matchProofLine(text)?.command ?? '') !== '';
      return isLine ? [nested('table', placed.place(start + at, start + at + text.length))] : [];
    }),
  );
}

function lineAt(line: string, start: number, { place }: PlacedText, where: string): Problem | null {
  const lead = COMMENT.exec(line)?.[0].length ?? 0;
  if (matchProofLine(line.slice(lead)) === null) return null;
  return nested(lead > 0 ? 'html' : where, place(start + lead, start + line.length));
}

function nested(where: string, place: Place): Problem {
  return { code: 'block-nested', severity: 'error', place, args: { in: where, line: true } };
}

/** A proof line with its place. */
export interface FoundLine extends Lines {
  place: Place;
  commandPlace: Place;
  line: ProofLine;
  /** The next line looks as if it were the rest of the command. */
  goesOn: boolean;
}

/**
 * Lines of paragraphs at the top level, and whole items of lists there. Rows of tables and lines in comments
 * don't count.
 */
export function findProofLines({ source, lines, blocks }: Section): FoundLine[] {
  const found: FoundLine[] = [];
  for (const block of blocks) {
    if (block.type === 'paragraph') {
      const last = lastOfText(source, lines, block);
      let hidden: [number, number][] | undefined;
      for (let row = block.first; row <= last; row += 1) {
        const line = proofLineAt(source, lines, row);
        if (line === null) continue;
        const { offset } = line.place.start;
        hidden ??= commentsInText(source, lines.starts[block.first]!, lines.ends[last]!);
        if (hidden.some(([from, to]) => from < offset && offset < to)) continue;
        if (row < block.last) line.goesOn ||= ' \t'.includes(source[lines.starts[row + 1]!]!);
        found.push(line);
      }
    } else if (block.type === 'list') {
      const items = block.inner.filter(({ wholeItem }) => wholeItem);
      found.push(...items.flatMap(({ first }) => proofLineAt(source, lines, first, LIST_MARKER) ?? []));
    }
  }
  return found;
}

/** The last line of a paragraph before a table. */
function lastOfText(source: string, { starts, ends }: LineIndex, { first, last }: Lines): number {
  const bar = source.indexOf('|', starts[first]!);
  if (bar === -1 || bar >= ends[last]!) return last;
  const rows: string[] = [];
  for (let row = first; row <= last; row += 1) rows.push(source.slice(starts[row], ends[row]));
  const start = tableStart(rows);
  return start === -1 ? last : first + start - 1;
}

const LIST_MARKER = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

function proofLineAt(source: string, lines: LineIndex, row: number, marker?: RegExp): FoundLine | null {
  const from = lines.starts[row]!;
  const end = trimmedEnd(source, from, lines.ends[row]!);
  const written = source.slice(from, end);
  const start = from + written.length - written.trimStart().length;
  const lead = marker?.exec(source.slice(start, end))?.[0].length ?? 0;
  const line = matchProofLine(source.slice(start + lead, end));
  if (line === null) return null;
  const command = start + lead + line.start;
  return {
    first: row,
    last: row,
    line,
    goesOn: line.command.endsWith('\\'),
    place: placeBetween(lines, start, end),
    commandPlace: placeBetween(lines, command, command + line.command.length),
  };
}

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

import { COMMENT_OPEN, commentsInText } from '../comments.ts';
import type { Place, Problem } from '../model.ts';
import { matchProofLine } from './proof-line.ts';
import { cellsOf, tableStart } from './table.ts';

/** A text and how to point into it: by offset, or only by line (a text inside a container has lost its prefixes). */
export interface PlacedText {
  text: string;
  place(start: number, end: number): Place;
}

/**
 * Proof lines where none is read: in a list with more in its item, in a quote, in HTML. A comment may
 * surround them.
 */
export function mislaidLines(placed: PlacedText, where: string): Problem[] {
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

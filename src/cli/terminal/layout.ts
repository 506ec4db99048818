import { stripVTControlCharacters } from 'node:util';
import type { ChalkInstance } from 'chalk';
import { escapeForTerminal, graphemesOf } from '../../base/escape.ts';

interface Column {
  head: string;
  align?: 'left' | 'right';
  /** Applied to the padded cell. */
  style?: (text: string) => string;
}

/** `2/5  Label`: a step with its place, or just a title. Raw text in. */
export function heading(text: string, { place, color }: { place?: string; color: ChalkInstance }): string {
  const title = color.bold(escapeForTerminal(text));
  return place === undefined ? title : `${color.cyan(escapeForTerminal(place))}  ${title}`;
}

/**
 * Lines of `key  value`, values aligned; a value of several lines continues below itself. `wrapAt`: the columns of the terminal, which
 * would continue a long line at its left edge, where it could pass for a key. Raw texts in.
 */
export async function keyValues(
  rows: readonly (readonly [key: string, value: string])[],
  { color, indent = 0, wrapAt }: { color: ChalkInstance; indent?: number; wrapAt?: number | undefined },
): Promise<string> {
  const keys = rows.map(([key]) => escapeForTerminal(key));
  const values = rows.map(([, value]) => escapeForTerminal(value, { keepNewlines: true }).split('\n'));
  const widthOf = await measureFor(wrapAt === undefined ? keys : [...keys, ...values.flat()]);
  const width = Math.max(0, ...keys.map(widthOf));
  const margin = ' '.repeat(indent);
  const room = wrapAt === undefined ? undefined : Math.max(NARROWEST, wrapAt - indent - width - 2);
  return values
    .map((lines, row) => {
      const shown = room === undefined ? lines : lines.flatMap((line) => wrapLine(line, room, widthOf));
      const [first = '', ...more] = shown;
      const key = pad(keys[row] ?? '', width, widthOf);
      const continued = more.map((line) => `${margin}${' '.repeat(width)}  ${line}`.trimEnd());
      return [`${margin}${color.dim(key)}  ${first}`.trimEnd(), ...continued].join('\n');
    })
    .join('\n');
}

/** Columns that a value has at least. */
const NARROWEST = 10;

/** A line in pieces that fit: cut after a blank where there is one, else anywhere. */
function wrapLine(line: string, room: number, widthOf: WidthOf): string[] {
  if (widthOf(line) <= room) return [line];
  const pieces: string[] = [];
  let [piece, used] = ['', 0];
  for (const { segment } of graphemesOf(line)) {
    const width = widthOf(segment);
    if (used + width > room && piece !== '') {
      const end = piece.lastIndexOf(' ') + 1 || piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = widthOf(piece);
    }
    piece += segment;
    used += width;
  }
  return [...pieces, piece];
}

/**
 * A table with a head and columns two spaces apart, aligned by what a terminal shows. Raw texts in, one line a row. `cut`: the
 * column whose cells are cut so that a row fits this many columns of the terminal.
 */
export async function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { color, cut }: { color: ChalkInstance; cut?: { column: number; fit: number | undefined } },
): Promise<string> {
  const head = columns.map((column) => escapeForTerminal(column.head));
  const cells = rows.map((row) => columns.map((_column, index) => escapeForTerminal(row[index] ?? '')));
  const widthOf = await measureFor([head, ...cells].flat());
  const widthAt = (index: number) => Math.max(...[head, ...cells].map((row) => widthOf(row[index] ?? '')));
  const widths = columns.map((_column, index) => widthAt(index));
  if (cut?.fit !== undefined) {
    const others = widths.reduce((sum, width, index) => sum + (index === cut.column ? 0 : width + 2), 0);
    const most = Math.max(NARROWEST, cut.fit - others);
    for (const row of cells) row[cut.column] = cutText(row[cut.column] ?? '', most, widthOf);
    widths[cut.column] = widthAt(cut.column);
  }
  const line = (row: readonly string[], styleOf: (column: Column) => (text: string) => string) =>
    columns
      .map((column, index) => {
        const last = index === columns.length - 1 && column.align !== 'right';
        const text = row[index] ?? '';
        return styleOf(column)(last ? text : pad(text, widths[index] ?? 0, widthOf, column.align));
      })
      .join('  ')
      .trimEnd();
  return [
    line(head, () => color.bold),
    ...cells.map((row) => line(row, (column) => column.style ?? ((text) => text))),
  ].join('\n');
}

/** A column of a table that is fitted to a terminal. */
export interface FittedColumn {
  head: string;
  cells: string[];
}

/**
 * The columns that fit a width. The columns of `dispensable` are left out in its order, or written shorter where it has other
 * cells. The column `title` gets the rest, at least `least` and as much as it needs up to `wanted`.
 */
export async function fitColumns(
  all: readonly FittedColumn[],
  { width, title, least, wanted: most, dispensable }: FitOptions,
): Promise<FittedColumn[]> {
  const widthOf = await measureFor(all.flatMap(({ cells }) => cells));
  const widest = (cells: readonly string[]) => Math.max(0, ...cells.map(widthOf));
  const room = (columns: readonly FittedColumn[]) =>
    columns
      .filter(({ head }) => head !== title)
      .reduce((left, { head, cells }) => left - 2 - Math.max(head.length, widest(cells)), width);
  const wanted = Math.min(most, widest(all.find(({ head }) => head === title)?.cells ?? []));
  let columns = [...all];
  for (const { head, cells } of dispensable) {
    if (room(columns) >= wanted) break;
    columns = columns.flatMap((column) => {
      if (column.head !== head) return [column];
      return cells === undefined ? [] : [{ head, cells }];
    });
  }
  const rest = Math.max(least, room(columns));
  return columns.map(({ head, cells }) =>
    head === title ? { head, cells: cells.map((text) => cutText(text, rest, widthOf)) } : { head, cells },
  );
}

interface FitOptions {
  width: number;
  title: string;
  least: number;
  wanted: number;
  dispensable: readonly { head: string; cells?: string[] }[];
}

/** Cuts a text to at most so many columns; a cut one ends in `…`. */
export function cutText(text: string, most: number, widthOf: WidthOf): string {
  if (widthOf(text) <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(letters.join('')) > most - 1) letters.pop();
  return `${letters.join('')}…`;
}

/** Pads a text with spaces to a width in columns; a wider text is unchanged. */
export function pad(text: string, width: number, widthOf: WidthOf, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? fill + text : text + fill;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** The columns that a text occupies on a terminal; ANSI sequences occupy none. */
export type WidthOf = (text: string) => number;

/**
 * A measure for all of these texts and their parts. `string-width` loads more slowly than a listing prints,
 * so it is loaded only when some text isn't plain ASCII.
 */
export async function measureFor(texts: Iterable<string>): Promise<WidthOf> {
  for (const text of texts) {
    if (!PRINTABLE_ASCII.test(text)) return inParts((await import('string-width')).default);
  }
  return (text) => text.length;
}

/** UTF-16 code units. Much longer than a line; `string-width` is quadratic. */
const LONG = 2048;

function inParts(widthOf: WidthOf): WidthOf {
  return (text) => {
    if (text.length <= LONG) return widthOf(text);
    let width = 0;
    for (const { segment } of graphemesOf(stripVTControlCharacters(text))) width += widthOf(segment);
    return width;
  };
}

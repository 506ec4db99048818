import type { ChalkInstance } from 'chalk';
import type { List, Nodes, Root, RootContent, Table } from 'mdast';
import { escapeForTerminal } from '../../base/escape.ts';
import { isTimeLimit, withinTime } from '../../base/json-schema.ts';
import { definitionsOf, isOnlyText, nestsTooDeep, textTree } from '../../formats/markdown.ts';
import { measureFor, pad, type WidthOf } from './layout.ts';
import {
  type Definitions,
  inlineSpans,
  type Palette,
  paletteOf,
  plainText,
  type Span,
  type SpanStyle,
  same,
  wrapSpans,
} from './spans.ts';

export interface MarkdownOptions {
  /** Columns of the terminal. */
  width: number;
  color: ChalkInstance;
  /** Returns the escaped markdown without layout, for terminals and readers that need none. */
  plain?: boolean;
}

/** Below this width there is no layout. */
const MIN_WIDTH = 20;

/**
 * Renders markdown of a chain (CommonMark and GFM) for a terminal. The text is escaped before parsing, and
 * again where the parser replaced character references, so every control sequence in the result is a colour
 * from kairos. Links show their address; nothing is hidden, comments included.
 */
export async function renderMarkdown(source: string, options: MarkdownOptions): Promise<string> {
  const text = escapeForTerminal(source.replace(/\r\n?/g, '\n'), { keepNewlines: true, keepTabs: true });
  if (options.plain || nestsTooDeep(text)) return text;
  const { color } = options;
  try {
    const root = await parse(text);
    const drawing = {
      source: text,
      color,
      palette: paletteOf(color),
      definitions: definitionsOf(root),
      widthOf: await measureFor([
        ...text.split('\n'),
        ...(text.match(CHARACTER_REFERENCE) ? ['\u00a0'] : []),
      ]),
    };
    const width = Math.max(MIN_WIDTH, options.width);
    return withinTime(() => blocks(root.children, drawing, width)).join('\n');
  } catch (error) {
    // Nested too deep for the stack, or too costly: show the source.
    if (error instanceof RangeError || isTimeLimit(error)) return text;
    throw error;
  }
}

const CHARACTER_REFERENCE = /&#?\w+;/;

interface Drawing {
  source: string;
  color: ChalkInstance;
  palette: Palette;
  definitions: Definitions;
  widthOf: WidthOf;
}

async function parse(text: string): Promise<Root> {
  const trimmed = text.replace(/^\n+|\n+$/g, '');
  if (isOnlyText(trimmed)) return textTree(trimmed);
  const { parseMarkdown } = await import('../../protocol/scan/reference.ts');
  return withinTime(() => parseMarkdown(text));
}

/** Lines of block nodes, with a blank line between blocks unless the list is tight. */
function blocks(nodes: readonly RootContent[], drawing: Drawing, width: number, tight = false): string[] {
  const lines: string[] = [];
  for (const node of nodes) {
    const drawn = block(node, drawing, width);
    if (lines.length > 0 && !tight) lines.push('');
    lines.push(...drawn);
  }
  return lines;
}

function block(node: RootContent, drawing: Drawing, width: number): string[] {
  const { color, palette, definitions } = drawing;
  switch (node.type) {
    case 'heading': {
      const mark = palette.marks ? [{ text: `${'#'.repeat(node.depth)} `, style: same }] : [];
      return wrap([...mark, ...inlineSpans(node.children, palette, definitions, color.bold)], drawing, width);
    }
    case 'paragraph':
      return wrap(inlineSpans(node.children, palette, definitions), drawing, width);
    case 'code':
      // Never wrapped, so that a command can be copied unchanged.
      return node.value.split('\n').map((line) => `    ${color.yellow(line)}`.trimEnd());
    case 'blockquote':
      return blocks(node.children, drawing, width - 2).map((line) => `${color.dim('>')} ${line}`.trimEnd());
    case 'list':
      return list(node, drawing, width);
    case 'table':
      return table(node, drawing, width);
    case 'thematicBreak':
      return [color.dim('-'.repeat(Math.min(width, 40)))];
    default:
      // HTML, definitions and every other node: as written, so that nothing is hidden.
      return asWritten(node, drawing.source)
        .split('\n')
        .map((line) => color.dim(line));
  }
}

function list({ ordered, start, spread, children }: List, drawing: Drawing, width: number): string[] {
  const loose = spread || children.some((item) => item.spread);
  return children.flatMap((item, index) => {
    const bullet = ordered ? `${(start ?? 1) + index}. ` : '- ';
    const task = typeof item.checked === 'boolean' ? `[${item.checked ? 'x' : ' '}] ` : '';
    const margin = ' '.repeat(bullet.length);
    const lines = blocks(item.children, drawing, width - bullet.length - task.length, !loose);
    const drawn = (lines.length > 0 ? lines : ['']).map((line, row) =>
      `${row === 0 ? bullet + task : margin}${line}`.trimEnd(),
    );
    return loose && index > 0 ? ['', ...drawn] : drawn;
  });
}

/** Columns side by side, or, when they do not fit, each row as lines of `head: cell`. */
function table({ children, align }: Table, drawing: Drawing, width: number): string[] {
  const { color, widthOf, definitions } = drawing;
  const [head = [], ...rows] = children.map((row) =>
    row.children.map((cell) => plainText(cell.children, definitions)),
  );
  const widths = head.map((_text, at) => Math.max(...[head, ...rows].map((row) => widthOf(row[at] ?? ''))));
  if (widths.reduce((sum, size) => sum + size + 2, -2) > width) {
    return rows.flatMap((row, index) => [
      ...(index > 0 ? [''] : []),
      ...row.flatMap((cell, at) =>
        wrap(
          [
            { text: `${head[at] ?? ''}: `, style: color.bold },
            { text: cell, style: same },
          ],
          drawing,
          width,
        ),
      ),
    ]);
  }
  const line = (row: readonly string[], style: SpanStyle) =>
    row
      .map((text, at) =>
        style(pad(text, widths[at] ?? 0, widthOf, align?.[at] === 'right' ? 'right' : 'left')),
      )
      .join('  ')
      .trimEnd();
  const rule = color.dim(widths.map((size) => '-'.repeat(size)).join('  '));
  return [line(head, color.bold), rule, ...rows.map((row) => line(row, same))];
}

function wrap(spans: readonly Span[], { widthOf }: Drawing, width: number): string[] {
  return wrapSpans(spans, Math.max(MIN_WIDTH, width), widthOf);
}

function asWritten(node: Nodes, source: string): string {
  return source.slice(node.position?.start.offset, node.position?.end.offset);
}

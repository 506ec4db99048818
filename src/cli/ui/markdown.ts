import type { ChalkInstance } from 'chalk';
import type { Token, Tokens } from 'marked';
import { escapeForTerminal } from '../../base/escape.ts';
import { pad } from './layout.ts';
import { decodeEntities, inlineSpans, type Palette, paletteOf, plainText } from './markdown-inline.ts';
import { type Span, type Style, wrapSpans } from './spans.ts';
import { measureFor, type WidthOf } from './width.ts';

export interface MarkdownOptions {
  /** Columns of the terminal. */
  width: number;
  color: ChalkInstance;
  /** Gives the escaped markdown as it is, for terminals and readers that want no layout. */
  plain?: boolean;
}

/** Narrower than this, nothing is laid out any more. */
const MIN_WIDTH = 20;

/**
 * Markdown of a chain (CommonMark and GFM) as text for a terminal. It is escaped before it is read, so whatever control
 * sequence the result holds is a colour of ours. Links show their address; nothing is hidden, comments included.
 */
export async function renderMarkdown(source: string, options: MarkdownOptions): Promise<string> {
  const text = escapeForTerminal(source.replace(/\r\n?/g, '\n'), { keepNewlines: true, keepTabs: true });
  if (options.plain) return text;
  const { Marked } = await import('marked');
  const widthOf = await measureFor(decodeEntities(text).split('\n'));
  try {
    const tokens = new Marked({ gfm: true }).lexer(text);
    const { color } = options;
    const drawing = { color, palette: paletteOf(color), widthOf };
    return blocks(tokens, drawing, Math.max(MIN_WIDTH, options.width)).join('\n');
  } catch (error) {
    // Nested beyond what the stack holds: as written is better than not at all.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

interface Drawing {
  color: ChalkInstance;
  palette: Palette;
  widthOf: WidthOf;
}

/** Lines of block tokens, a blank line between blocks. */
function blocks(tokens: readonly Token[], drawing: Drawing, width: number, tight = false): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const drawn = block(token as Tokens.Generic, drawing, width);
    if (drawn.length === 0) continue;
    if (lines.length > 0 && !tight) lines.push('');
    lines.push(...drawn);
  }
  return lines;
}

function block(token: Tokens.Generic, drawing: Drawing, width: number): string[] {
  const { color, palette } = drawing;
  switch (token.type) {
    case 'space':
      return [];
    case 'heading': {
      const mark: Span[] = palette.marks ? [{ text: `${'#'.repeat(token.depth)} `, style: same }] : [];
      return wrap([...mark, ...inlineSpans(token.tokens ?? [], palette, color.bold)], drawing, width);
    }
    case 'code':
      // Never wrapped: a command must stay what it is when it is copied.
      return token.text.split('\n').map((line: string) => `    ${color.yellow(line)}`.trimEnd());
    case 'blockquote':
      return blocks(token.tokens ?? [], drawing, width - 2).map((line) =>
        `${color.dim('>')} ${line}`.trimEnd(),
      );
    case 'list':
      return list(token as Tokens.List, drawing, width);
    case 'table':
      return table(token as Tokens.Table, drawing, width);
    case 'hr':
      return [color.dim('-'.repeat(Math.min(width, 40)))];
    case 'paragraph':
    case 'text':
      return wrap(inlineSpans(token.tokens ?? [token], palette, same), drawing, width);
    default:
      // HTML, link definitions and whatever else: as written, so that nothing stays unseen.
      return token.raw
        .trimEnd()
        .split('\n')
        .map((line: string) => color.dim(line));
  }
}

function list({ ordered, start, loose, items }: Tokens.List, drawing: Drawing, width: number): string[] {
  return items.flatMap((item, index) => {
    const bullet = ordered ? `${Number(start) + index}. ` : '- ';
    const task = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const margin = ' '.repeat(bullet.length);
    const lines = blocks(item.tokens, drawing, width - bullet.length - task.length, !loose);
    const drawn = (lines.length > 0 ? lines : ['']).map((line, row) =>
      `${row === 0 ? bullet + task : margin}${line}`.trimEnd(),
    );
    return loose && index > 0 ? ['', ...drawn] : drawn;
  });
}

/** Columns side by side, or, when they do not fit, each row as lines of `head: cell`. */
function table({ header, rows, align }: Tokens.Table, drawing: Drawing, width: number): string[] {
  const { color, widthOf } = drawing;
  const head = header.map((cell) => plainText(cell.tokens));
  const cells = rows.map((row) => row.map((cell) => plainText(cell.tokens)));
  const widths = head.map((_text, index) =>
    Math.max(...[head, ...cells].map((row) => widthOf(row[index] ?? ''))),
  );
  if (widths.reduce((sum, size) => sum + size + 2, -2) > width) {
    return cells.flatMap((row, index) => [
      ...(index > 0 ? [''] : []),
      ...row.flatMap((cell, at) =>
        wrap(
          [
            { text: `${head[at]}: `, style: color.bold },
            { text: cell, style: same },
          ],
          drawing,
          width,
        ),
      ),
    ]);
  }
  const line = (row: readonly string[], style: Style) =>
    row
      .map((text, at) => style(pad(text, widths[at] ?? 0, widthOf, align[at] === 'right' ? 'right' : 'left')))
      .join('  ')
      .trimEnd();
  const rule = color.dim(widths.map((size) => '-'.repeat(size)).join('  '));
  return [line(head, color.bold), rule, ...cells.map((row) => line(row, same))];
}

function wrap(spans: readonly Span[], { widthOf }: Drawing, width: number): string[] {
  return wrapSpans(spans, Math.max(MIN_WIDTH, width), widthOf);
}

const same: Style = (text) => text;

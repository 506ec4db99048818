import type { ChalkInstance } from 'chalk';
import type { Definition, PhrasingContent } from 'mdast';
import { escapeForTerminal, graphemesOf } from '../../base/escape.ts';
import type { WidthOf } from './layout.ts';

/** A piece of running text in one style; `\n` in it is a hard line break. */
export interface Span {
  text: string;
  style: SpanStyle;
}

export type SpanStyle = (text: string) => string;

/**
 * Sets spans in lines of at most `width` columns. Lines break at spaces; a word that fits no line breaks
 * between graphemes. Runs of white space count as one space, as in markdown.
 */
export function wrapSpans(spans: readonly Span[], width: number, widthOf: WidthOf): string[] {
  const lines: Span[][] = [];
  let line: Span[] = [];
  let column = 0;
  let space: Span | null = null;

  const breakLine = () => {
    lines.push(line);
    line = [];
    column = 0;
    space = null;
  };
  const put = (piece: Span, size: number) => {
    line.push(piece);
    column += size;
  };

  const putInParts = ({ text, style }: Span) => {
    for (const { segment } of graphemesOf(text)) {
      const size = widthOf(segment);
      if (column > 0 && column + size > width) breakLine();
      put({ text: segment, style }, size);
    }
  };

  for (const token of words(spans)) {
    if (token === 'break') breakLine();
    else if ('space' in token) space = column === 0 ? null : token.space;
    else {
      const sizes = token.word.map((piece) => widthOf(piece.text));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (column > 0 && column + (space === null ? 0 : 1) + total > width) breakLine();
      if (space !== null) put({ ...(space as Span), text: ' ' }, 1);
      space = null;
      for (const [index, piece] of token.word.entries()) {
        const size = sizes[index] ?? 0;
        if (column + size <= width) put(piece, size);
        else putInParts(piece);
      }
    }
  }
  if (line.length > 0 || lines.length === 0) breakLine();
  return lines.map(paint);
}

type Token = 'break' | { space: Span } | { word: Span[] };

/** Splits spans into words, which may span several of them, and the space between. */
function* words(spans: readonly Span[]): Generator<Token> {
  let word: Span[] = [];
  for (const { text, style } of spans) {
    for (const part of text.split(/(\n|[ \t]+)/)) {
      if (part === '') continue;
      if (!/^[ \t\n]/.test(part)) word.push({ text: part, style });
      else {
        if (word.length > 0) yield { word };
        word = [];
        yield part === '\n' ? 'break' : { space: { text: ' ', style } };
      }
    }
  }
  if (word.length > 0) yield { word };
}

/** Applies styles, once for neighbours with the same style. */
function paint(line: readonly Span[]): string {
  const runs: Span[] = [];
  for (const piece of line) {
    const last = runs.at(-1);
    if (last?.style === piece.style) last.text += piece.text;
    else runs.push({ ...piece });
  }
  return runs.map(({ text, style }) => style(text)).join('');
}

/** Styles of emphasis. */
export interface Palette {
  /** Keep the marks (`**`, backticks): without colours, only they show emphasis. */
  marks: boolean;
  strong: SpanStyle;
  emphasis: SpanStyle;
  delete: SpanStyle;
  code: SpanStyle;
  address: SpanStyle;
  /** Markup that kairos doesn't interpret. */
  raw: SpanStyle;
}

/** The palette of a chalk. */
export function paletteOf(color: ChalkInstance): Palette {
  return {
    marks: color.level === 0,
    strong: color.bold,
    emphasis: color.italic,
    delete: color.strikethrough,
    code: color.cyan,
    address: color.underline,
    raw: color.dim,
  };
}

/** The style of text that has none. */
export const same: SpanStyle = (text) => text;
const BARE: Palette = {
  marks: false,
  strong: same,
  emphasis: same,
  delete: same,
  code: same,
  address: same,
  raw: same,
};

const MARKS = { strong: '**', emphasis: '*', delete: '~~' } as const;

export type Definitions = ReadonlyMap<string, Definition>;

/** Running text of inline nodes, in `style` and what the nodes add to it. */
export function inlineSpans(
  nodes: readonly PhrasingContent[],
  palette: Palette,
  definitions: Definitions,
  style: SpanStyle = same,
): Span[] {
  return nodes.flatMap(draw);

  function draw(node: PhrasingContent): Span[] {
    switch (node.type) {
      case 'text':
        return [{ text: oneLine(node.value), style }];
      case 'strong':
      case 'emphasis':
      case 'delete': {
        const mark = palette.marks ? [{ text: MARKS[node.type], style }] : [];
        return [...mark, ...inside(node.children, within(palette[node.type])), ...mark];
      }
      case 'inlineCode': {
        const code = oneLine(node.value);
        return [palette.marks ? { text: `\`${code}\``, style } : { text: code, style: within(palette.code) }];
      }
      case 'break':
        return [{ text: '\n', style }];
      case 'link':
        return addressed(inside(node.children, style), node.url, node.title);
      case 'image':
        return addressed([{ text: imageText(node.alt), style }], node.url, node.title);
      case 'linkReference':
        return referred(inside(node.children, style), node.identifier);
      case 'imageReference':
        return referred([{ text: imageText(node.alt), style }], node.identifier);
      case 'footnoteReference':
        return [{ text: `[^${oneLine(node.label ?? node.identifier)}]`, style }];
      case 'html':
        return [{ text: oneLine(node.value), style: within(palette.raw) }];
    }
  }

  function inside(children: readonly PhrasingContent[], inner: SpanStyle): Span[] {
    return inlineSpans(children, palette, definitions, inner);
  }

  function within(inner: SpanStyle): SpanStyle {
    return (text) => style(inner(text));
  }

  /** A text and, after it, its address and title, so that a link always shows its target. A text that is its address stays as written. */
  function addressed(text: Span[], url: string, title: string | null | undefined): Span[] {
    const address = { text: oneLine(url), style: within(palette.address) };
    const note = title ? ` "${oneLine(title)}"` : '';
    const shown = text.map((span) => span.text).join('');
    const isAddress = ['', 'mailto:', 'http://'].some((scheme) => scheme + shown === address.text);
    if (note === '' && isAddress) return [{ ...address, text: shown }];
    return [...text, { text: ' (', style }, address, { text: `${note})`, style }];
  }

  function referred(text: Span[], identifier: string): Span[] {
    const definition = definitions.get(identifier);
    return definition === undefined ? text : addressed(text, definition.url, definition.title);
  }
}

/** The same text without style or marks, on one line. */
export function plainText(nodes: readonly PhrasingContent[], definitions: Definitions): string {
  return inlineSpans(nodes, BARE, definitions)
    .map(({ text }) => text.replace(/\n/g, ' '))
    .join('');
}

function imageText(alt: string | null | undefined): string {
  return `[image: ${oneLine(alt ?? '')}]`;
}

/**
 * A line break in the source is a space. Escaped again because the parser has replaced character references.
 */
function oneLine(text: string): string {
  return escapeForTerminal(text.replace(/\n/g, ' '));
}

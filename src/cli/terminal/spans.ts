import { graphemesOf } from '../../base/escape.ts';
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

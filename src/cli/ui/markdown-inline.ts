import type { ChalkInstance } from 'chalk';
import type { Token, Tokens } from 'marked';
import { escapeForTerminal } from '../../base/escape.ts';
import type { Span, Style } from './spans.ts';

/** How emphasis is shown. */
export interface Palette {
  /** Keep the marks (`**`, backticks): without colours nothing else shows what they say. */
  marks: boolean;
  strong: Style;
  em: Style;
  del: Style;
  code: Style;
  address: Style;
  /** Markup that is not ours to interpret. */
  raw: Style;
}

/** The palette of a chalk. */
export function paletteOf(color: ChalkInstance): Palette {
  return {
    marks: color.level === 0,
    strong: color.bold,
    em: color.italic,
    del: color.strikethrough,
    code: color.cyan,
    address: color.underline,
    raw: color.dim,
  };
}

const same: Style = (text) => text;
const BARE: Palette = {
  marks: false,
  strong: same,
  em: same,
  del: same,
  code: same,
  address: same,
  raw: same,
};

/** Running text of inline tokens, in `style` and what the tokens add to it. */
export function inlineSpans(tokens: readonly Token[], palette: Palette, style: Style): Span[] {
  return tokens.flatMap((raw): Span[] => {
    const token = raw as Tokens.Generic;
    switch (token.type) {
      case 'strong':
        return marked('**', palette.strong);
      case 'em':
        return marked('*', palette.em);
      case 'del':
        return marked('~~', palette.del);
      case 'codespan':
        return palette.marks
          ? [{ text: `\`${token.text}\``, style }]
          : [{ text: token.text, style: within(palette.code) }];
      case 'br':
        return [{ text: '\n', style }];
      case 'link':
      case 'image':
        return linkSpans(token, palette, style);
      case 'text':
      case 'escape':
        if (token.tokens) return inlineSpans(token.tokens, palette, style);
        return [{ text: oneLine(decodeEntities(token.text)), style }];
      default:
        return [{ text: oneLine(token.raw), style: within(palette.raw) }];
    }

    function within(inner: Style): Style {
      return (text) => style(inner(text));
    }

    function marked(mark: string, inner: Style): Span[] {
      const content = inlineSpans(token.tokens ?? [], palette, within(inner));
      return palette.marks ? [{ text: mark, style }, ...content, { text: mark, style }] : content;
    }
  });
}

/** The same text without style or marks. */
export function plainText(tokens: readonly Token[]): string {
  return inlineSpans(tokens, BARE, same)
    .map(({ text }) => text.replace(/\n/g, ' '))
    .join('');
}

/** The text and, behind it, the address and title: never a link that goes elsewhere than it says. */
function linkSpans(token: Tokens.Generic, palette: Palette, style: Style): Span[] {
  const text =
    token.type === 'image'
      ? [{ text: `[image: ${oneLine(decodeEntities(token.text))}]`, style }]
      : inlineSpans(token.tokens ?? [], palette, style);
  const title = token.title ? ` "${oneLine(decodeEntities(token.title))}"` : '';
  const address = { text: decodeEntities(token.href), style: (part: string) => style(palette.address(part)) };
  if (title === '' && text.map((span) => span.text).join('') === address.text) return [address];
  return [...text, { text: ' (', style }, address, { text: `${title})`, style }];
}

/** A line break in the source of running text is a space. */
function oneLine(text: string): string {
  return text.replace(/\n/g, ' ');
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The common character references (CommonMark 6.2); what they stand for is escaped, as it was not when the text was. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
    return escapeForTerminal(code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));
  });
}

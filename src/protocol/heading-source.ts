import { collapseSpace } from './scan/blocks.ts';

/** What could be markup in a heading: escapes, code, emphasis, links, HTML, strikethrough, character references. */
const MARKUP = '[\\\\`*[\\]<~]|&(?=[#A-Za-z])|(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])';
/** A literal autolink would keep the backslashes inside it, so that it must not become one. */
const AUTOLINK = ':(?=//)|(?<=[Ww][Ww][Ww])\\.|@';

const HAS_MARKUP = new RegExp(MARKUP, 'u');
const TO_ESCAPE = new RegExp(`${MARKUP}|${AUTOLINK}`, 'gu');
/** Hashes at the end would be read as a closing sequence (CommonMark 4.2). */
const CLOSING = /(^| )(#+)$/;

/**
 * Inline markdown whose plain text is the given text. A bare URL is unchanged: it reads the same as a link.
 */
export function inlineSource(text: string): string {
  return HAS_MARKUP.test(text) ? text.replace(TO_ESCAPE, '\\$&') : text;
}

/** An ATX heading whose plain text is the label, white space in it collapsed. */
export function headingSource(depth: 1 | 2, label: string): string {
  const text = collapseSpace(label);
  const marks = '#'.repeat(depth);
  if (text === '') return marks;
  return `${marks} ${inlineSource(text).replace(CLOSING, '$1\\$2')}`;
}

import { stripVTControlCharacters } from 'node:util';
import { segmentsOf } from '../../base/segments.ts';

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

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function inParts(widthOf: WidthOf): WidthOf {
  return (text) => {
    if (text.length <= LONG) return widthOf(text);
    let width = 0;
    for (const { segment } of segmentsOf(graphemes, stripVTControlCharacters(text)))
      width += widthOf(segment);
    return width;
  };
}

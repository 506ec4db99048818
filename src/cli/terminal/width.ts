import { stripVTControlCharacters } from 'node:util';
import { segmentsOf } from '../../base/segments.ts';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** How many columns a text takes on a terminal; ANSI sequences take none. */
export type WidthOf = (text: string) => number;

/**
 * A measure that is right for all of these texts and their parts. `string-width` takes longer to load than a listing
 * takes to print, so it is loaded only when some text is not plain ASCII.
 */
export async function measureFor(texts: Iterable<string>): Promise<WidthOf> {
  for (const text of texts) {
    if (!PRINTABLE_ASCII.test(text)) return inParts((await import('string-width')).default);
  }
  return (text) => text.length;
}

/** UTF-16 code units. Far beyond a line; `string-width` takes time by the square of what it is given. */
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

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** How many columns a text takes on a terminal; ANSI sequences take none. */
export type WidthOf = (text: string) => number;

/**
 * A measure that is right for all of these texts and their parts. `string-width` takes longer to load than a listing
 * takes to print, so it is loaded only when some text is not plain ASCII.
 */
export async function measureFor(texts: Iterable<string>): Promise<WidthOf> {
  for (const text of texts) {
    if (!PRINTABLE_ASCII.test(text)) return (await import('string-width')).default;
  }
  return (text) => text.length;
}

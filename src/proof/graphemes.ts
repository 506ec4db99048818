import { segmentsOf } from '../base/segments.ts';

let segmenter: Intl.Segmenter | undefined;

/**
 * Grapheme clusters of a text (UAX #29), counted up to `limit`. Clusters that show nothing (zero-width, control and
 * tag characters) do not count, and a run of white space counts once: padding makes no text longer.
 */
export function countGraphemes(text: string, limit: number): number {
  let count = 0;
  let afterSpace = false;
  let at = 0;
  // Between two visible characters of ASCII there is always a boundary, and most texts need no more than these.
  for (; isPlain(text, at) && isPlain(text, at + 1); at += 1) {
    const isSpace = text.charAt(at) === ' ';
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of segmentsOf(segmenter, text.slice(at))) {
    const isSpace = /^\s+$/u.test(segment);
    if (!isSpace && /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u.test(segment)) continue;
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  return count;
}

/** Space to tilde. */
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
}

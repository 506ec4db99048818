import { segmentsOf } from '../base/segments.ts';

let segmenter: Intl.Segmenter | undefined;

/**
 * Grapheme clusters of a text (UAX #29), counted up to `limit`. Clusters that show nothing (zero-width, control and
 * tag characters) do not count, and a run of white space counts once: padding makes no text longer.
 */
export function countGraphemes(text: string, limit: number): number {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  let count = 0;
  let afterSpace = false;
  for (const { segment } of segmentsOf(segmenter, text)) {
    const isSpace = /^\s+$/u.test(segment);
    if (!isSpace && /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+$/u.test(segment)) continue;
    if (!(isSpace && afterSpace)) count += 1;
    if (count >= limit) return count;
    afterSpace = isSpace;
  }
  return count;
}

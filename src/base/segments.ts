/** UTF-16 code units in one slice. */
const SLICE = 1024;

/**
 * The result of `segmenter.segment(text)` (Unicode Standard Annex 29) in linear time. Intl.Segmenter alone is
 * quadratic and needs minutes for 1 MiB. Grapheme clusters are identical. Words that are found by dictionary
 * may be split differently once in 1024 units of text without another boundary.
 */
export function* segmentsOf(
  segmenter: Intl.Segmenter,
  text: string,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
  let size = SLICE;
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start + size);
    const segments = [...segmenter.segment(text.slice(start, end))];
    // The last segment may continue past the slice.
    if (end < text.length) segments.pop();
    if (segments.length === 0) {
      size *= 2;
      continue;
    }
    for (const segment of segments) {
      yield segment;
      start += segment.segment.length;
    }
    size = SLICE;
  }
}

/** Never between the halves of a surrogate pair: what follows half of one is always a boundary. */
function sliceEnd(text: string, end: number): number {
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return Math.min(isHigh ? end + 1 : end, text.length);
}

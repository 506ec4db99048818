/** UTF-16 code units that are looked at in one go. */
const SLICE = 1024;

/**
 * What `segmenter.segment(text)` gives (Unicode Standard Annex 29), in time that grows with the length of the text;
 * Intl.Segmenter alone takes time by its square, minutes for 1 MiB. Grapheme clusters are exactly the same. Words that
 * are found by dictionary may be cut otherwise once in 1024 units of text without any other boundary.
 */
export function* segmentsOf(
  segmenter: Intl.Segmenter,
  text: string,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
  let size = SLICE;
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start + size);
    const segments = [...segmenter.segment(text.slice(start, end))];
    // The last one may go on beyond the slice.
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

import type { Fix } from './rule.ts';

/** Edits that could be made at once, and the text that they make. */
export interface Applied {
  text: string;
  /** Those that were made, by place. */
  applied: Fix[];
}

/**
 * Makes minimal text edits. Edits are taken by place; one that overlaps or touches an earlier one waits for the next round,
 * where it may still be needed. The same edit twice is one edit. Whatever lies outside of the ranges stays as it is.
 */
export function applyEdits(source: string, edits: readonly Fix[]): Applied {
  const sorted = edits.toSorted((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1]);
  const applied: Fix[] = [];
  let text = '';
  let done = 0;
  let lastEnd = -1;
  for (const edit of sorted) {
    const [start, end] = edit.range;
    if (start <= lastEnd) continue;
    text += source.slice(done, start) + edit.replacement;
    done = end;
    lastEnd = end;
    applied.push(edit);
  }
  return { text: text + source.slice(done), applied };
}

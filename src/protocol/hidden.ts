import type { Place } from './model.ts';
import { type LineIndex, lineIndex, pointAt } from './position.ts';

/** Characters that change what is read without being seen: C0 and C1 controls, DEL, bidi embeddings, overrides and isolates, tags. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

export interface HiddenCharacter {
  /** For example `U+202E`. */
  codePoint: string;
  place: Place;
}

/** Every hidden character of a text, in order. A BOM at the very start is none. */
export function hiddenCharacters(source: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  // Nearly every text holds none, and needs no index of its lines.
  let index: LineIndex | undefined;
  for (const match of source.matchAll(HIDDEN)) {
    const [character] = match;
    index ??= lineIndex(source);
    const lines = index;
    found.push({
      codePoint: `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
      place: {
        start: pointAt(lines, match.index),
        end: pointAt(lines, match.index + character.length),
      },
    });
  }
  return found;
}

import type { ChainNode, FrontmatterNode, Place } from './model.ts';
import { type LineIndex, lineIndex, pointAt } from './position.ts';

/** Characters that change what is read without being seen: C0 and C1 controls, DEL, every Bidi_Control (UAX #9), tags. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** The same by code units, halves of tags among them: whether it is worth a look. */
const MAY_BE_HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\udb40]/;

export interface HiddenCharacter {
  /** For example `U+202E`. */
  codePoint: string;
  place: Place;
}

/** Every hidden character of a text, in order. A BOM at the very start is none. */
export function hiddenCharacters(source: string): HiddenCharacter[] {
  if (!MAY_BE_HIDDEN.test(source)) return [];
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

/**
 * Hidden characters that a chain holds once it is read, though its source shows them: written as an escape in a step
 * block or the frontmatter, or as a character reference in a heading. Placed where they were written.
 */
export function hiddenInChain(chain: ChainNode, frontmatter: FrontmatterNode | null): HiddenCharacter[] {
  return [
    ...hiddenInValue(chain.title, chain.titlePlace),
    ...(frontmatter === null ? [] : hiddenInValue(chain.tags, frontmatter.place)),
    ...chain.steps.flatMap(({ label, labelPlace, block }) => [
      ...hiddenInValue(label, labelPlace),
      ...(block === null ? [] : hiddenInValue(block.value, block.valuePlace)),
    ]),
  ];
}

/** Hidden characters in the texts, keys included, of a JSON value; all at one place. */
export function hiddenInValue(value: unknown, place: Place): HiddenCharacter[] {
  if (typeof value === 'string')
    return hiddenCharacters(value).map(({ codePoint }) => ({ codePoint, place }));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(Array.isArray(value) ? [] : hiddenInValue(key, place)),
    ...hiddenInValue(item, place),
  ]);
}

import { isObject } from '../base/json.ts';
import type { Path } from './block/value.ts';
import type { BlockNode, Place, ProtocolDocument } from './model.ts';
import { lineIndex, placeBetween } from './position.ts';

export interface HiddenCharacter {
  /** For example `U+202E`. */
  codePoint: string;
  /** Of the character or its escape, else of its container. */
  place: Place;
}

/** Where a character of a step block, or its container, is written. */
export type LocateInBlock = (block: BlockNode, found: InBlock) => Place;

/**
 * Characters that a document must not contain: forbidden ones everywhere, and in step blocks every hidden one
 * that isn't part of visible text. A literal character has its own place, an escaped one that of `locate`.
 */
export function hiddenInDocument(document: ProtocolDocument, locate: LocateInBlock): HiddenCharacter[] {
  const { source } = document;
  if (!mayHoldUnseen(source)) return [];
  const found = [
    ...hiddenIn(source).map((character) => placed(source, 0, character)),
    ...readIn(document, hiddenIn),
    ...document.chains.flatMap(({ steps }) =>
      steps.flatMap(({ block }) => (block === null ? [] : hiddenInBlock(source, block, locate))),
    ),
  ];
  if (found.length < 2) return found;
  const byOffset = new Map(found.map((one) => [`${one.place.start.offset} ${one.codePoint}`, one]));
  return [...byOffset.values()].sort((a, b) => a.place.start.offset - b.place.start.offset);
}

/**
 * Hidden characters of the text outside its step blocks that are not part of visible text, in order. A BOM at
 * the start doesn't count.
 */
export function misplacedHiddenInProse(document: ProtocolDocument): HiddenCharacter[] {
  const { source, chains } = document;
  if (!mayHoldUnseen(source)) return [];
  const written = misplacedHiddenIn(source, 'prose').filter(
    ({ at, codePoint }) => at > 0 || codePoint !== 'U+FEFF',
  );
  const read = readIn(document, (text) => misplacedHiddenIn(text, 'prose'));
  if (written.length + read.length === 0) return [];
  const blocks = chains.flatMap(({ steps }) => steps.flatMap(({ block }) => block?.valuePlace ?? []));
  const isInBlock = (at: number) => blocks.some(({ start, end }) => start.offset <= at && at < end.offset);
  return [
    ...read,
    ...written.filter(({ at }) => !isInBlock(at)).map((character) => placed(source, 0, character)),
  ].sort((a, b) => a.place.start.offset - b.place.start.offset);
}

/** What only comes about by reading: an escape in the frontmatter, a character reference in a heading. */
function readIn(
  { source, frontmatter, chains }: ProtocolDocument,
  find: (text: string) => CharacterInText[],
): HiddenCharacter[] {
  const look = (text: string, place: Place): HiddenCharacter[] => {
    const found = find(text);
    if (found.length === 0) return [];
    const written = find(source.slice(place.start.offset, place.end.offset));
    return found
      .filter(({ codePoint }) => !written.some((one) => one.codePoint === codePoint))
      .map(({ codePoint }) => ({ codePoint, place }));
  };
  return [
    ...(frontmatter?.tags ?? []).flatMap((tag) => look(tag, frontmatter!.place)),
    ...chains.flatMap(({ title, titlePlace, steps }) => [
      ...look(title, titlePlace),
      ...steps.flatMap(({ label, labelPlace }) => look(label, labelPlace)),
    ]),
  ];
}

function hiddenInBlock(source: string, block: BlockNode, locate: LocateInBlock): HiddenCharacter[] {
  const { start, end } = block.valuePlace;
  const written = source.slice(start.offset, end.offset);
  if (!mayHoldUnseen(written)) return [];
  return [
    // Also outside its texts, in a comment of YAML: forbidden characters are nowhere allowed in a step block.
    ...misplacedHiddenIn(written, 'message').map((character) => placed(source, start.offset, character)),
    ...misplacedHiddenInBlock(block.raw).map((found) => ({
      codePoint: found.codePoint,
      place: narrowed(source, locate(block, found), found),
    })),
  ];
}

/** The character itself, literal, at a place that only names the containing text. */
function narrowed(source: string, place: Place, { codePoint, length }: InBlock): Place {
  const { start, end } = place;
  const character = String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16));
  const at = source.slice(start.offset, end.offset).indexOf(character);
  return at === -1 ? place : placeBetween(lineIndex(source), start.offset + at, start.offset + at + length);
}

function placed(source: string, from: number, { codePoint, at, length }: CharacterInText): HiddenCharacter {
  return { codePoint, place: placeBetween(lineIndex(source), from + at, from + at + length) };
}

/** A hidden character in a text of a step block; `at` counts units of the parsed text. */
interface InBlock extends CharacterInText {
  /** Leads to the text, or to the value of the key that is it. */
  path: Path;
  isKey: boolean;
}

/** Keys of texts that people read, or that a tool gets as data. All other texts are used exactly as written. */
const MESSAGES = new Set([
  ...['prompt', 'choices', 'system', 'title', 'description'],
  ...['arguments', 'expected_result', 'equals'],
]);

/** What shows nothing in the keys and texts of a step block's value, in their order. */
function misplacedHiddenInBlock(value: unknown): InBlock[] {
  const found: InBlock[] = [];
  look(value, [], 'exact', found);
  return found;
}

/** Recursive, but no deeper than a step block may be. */
function look(value: unknown, path: Path, use: Use, found: InBlock[]): void {
  if (typeof value === 'string') collect(value, path, use, false, found);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(item, [...path, index], use, found);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const at = [...path, key];
      collect(key, at, 'exact', true, found);
      look(item, at, MESSAGES.has(key) ? 'message' : use, found);
    }
  }
}

function collect(text: string, path: Path, use: Use, isKey: boolean, found: InBlock[]): void {
  for (const character of [...hiddenIn(text), ...misplacedHiddenIn(text, use)]) {
    found.push({ ...character, path, isKey });
  }
}

/** Characters that change what is read without being seen: C0 and C1 controls, DEL, every Bidi_Control (UAX #9), tags. */
const HIDDEN_UNITS =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const HIDDEN = new RegExp(`[${HIDDEN_UNITS}\\u{e0000}-\\u{e007f}]`, 'gu');
/** The same by code units, halves of tags among them: whether it is worth a look. */
const MAY_BE_HIDDEN = new RegExp(`[${HIDDEN_UNITS}\\udb40]`);

/** How exactly a text is read: as prose, shown to a person or passed on as data, or used exactly as written. */
export type Use = 'prose' | 'message' | 'exact';

interface CharacterInText {
  /** For example `U+200B`. */
  codePoint: string;
  /** In UTF-16 units of the text. */
  at: number;
  length: number;
}

/**
 * Hidden characters that are not controls: soft hyphen, joiners, fillers, variation selectors, blanks and
 * everything else that Unicode calls default ignorable (UAX #44), with U+2028-2029, U+2800 and U+FFF9-FFFB.
 */
const UNITS =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';
const INVISIBLE = `[${UNITS}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0080}-\\u{e0fff}]`;

/** The same by code units, halves of others among them: whether it is worth a look. */
const MAY_BE = `${UNITS}\\ud82f\\ud834\\udb40-\\udb43`;
const MAY_BE_INVISIBLE = new RegExp(`[${MAY_BE}]`);
const MAY_BE_EITHER = new RegExp(`[${MAY_BE}${HIDDEN_UNITS}]`);

const visible = (set: string) => `(?!${INVISIBLE})[${set}]`;
const LETTER = visible('\\p{L}\\p{M}');
const PICTURE = '\\p{Extended_Pictographic}';
const END_OF_PICTURE = `${PICTURE}(?:\\ufe0f|\\p{Emoji_Modifier})?`;
/** Scripts in which a joiner changes how a word is written. */
const JOINING = visible(
  [
    'Arabic',
    'Syriac',
    'Mandaic',
    'Nko',
    'Mongolian',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
  ]
    .concat('Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan')
    .map((script) => `\\p{Script=${script}}`)
    .join(''),
);

/** Where such a character belongs to what is seen: in emoji, and in scripts that are written with it. */
const WRITTEN = [
  `(?<=${END_OF_PICTURE})\\u200d(?=${PICTURE})`,
  `(?<=${JOINING})[\\u200c\\u200d]`,
  `(?<=(?![ -~])[\\p{S}${PICTURE}])[\\ufe00-\\ufe0f]`,
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  `(?<=[\\p{Script=Han}\\p{Script=Myanmar}])[\\ufe00-\\ufe0d\\u{e0100}-\\u{e01ef}]`,
  `(?<=${visible('\\p{Script=Mongolian}')})[\\u180b-\\u180f]`,
];
/** In running text a joiner between any two letters may prevent or request a ligature. */
const IN_PROSE = [...WRITTEN, `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})`];

const except = (places: readonly string[]) => new RegExp(`(?!${places.join('|')})${INVISIBLE}`, 'gu');

/** Made when the first of these characters is met, which in most calls is never. */
const MISPLACED: Record<Use, () => RegExp> = {
  exact: once(() => new RegExp(INVISIBLE, 'gu')),
  message: once(() => except(WRITTEN)),
  prose: once(() => except(IN_PROSE)),
};

/** Characters that no text of a protocol may contain, in order. */
export function hiddenIn(text: string): CharacterInText[] {
  return MAY_BE_HIDDEN.test(text) ? matches(text, HIDDEN) : [];
}

/** Escapes of JSON and YAML that may stand for such a character, and character references. */
const ESCAPE = /\\[ubfxU0aevNLP]|&[#A-Za-z]/;

/** Whether a text may contain any of these: literally, or by an escape or a character reference. */
function mayHoldUnseen(text: string): boolean {
  // One rule after another asks about the same document, which nearly always contains none.
  if (last.text !== text) {
    const isEscaped = (text.includes('\\') || text.includes('&')) && ESCAPE.test(text);
    last = { text, may: isEscaped || MAY_BE_EITHER.test(text) };
  }
  return last.may;
}

let last = { text: '', may: false };

/** The hidden characters of a text that are not part of its visible text, in order. */
export function misplacedHiddenIn(text: string, use: Use): CharacterInText[] {
  return MAY_BE_INVISIBLE.test(text) ? matches(text, MISPLACED[use]()) : [];
}

function matches(text: string, pattern: RegExp): CharacterInText[] {
  return [...text.matchAll(pattern)].map(({ 0: character, index }) => ({
    codePoint: `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
    at: index,
    length: character.length,
  }));
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

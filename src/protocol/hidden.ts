import { isObject } from '../base/json.ts';
import type { Path } from './block/value.ts';
import { type CharacterInText, hiddenIn, mayHoldUnseen, misplacedHiddenIn, type Use } from './invisible.ts';
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

/** Keys of texts that people read, or that a tool gets as data; all others are obeyed to the letter. */
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

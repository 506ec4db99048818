import { type InBlock, invisibleInBlock } from './block/invisible.ts';
import { hiddenIn, type InvisibleCharacter, invisibleIn, mayHoldUnseen } from './invisible.ts';
import type { BlockNode, Place, ProtocolDocument } from './model.ts';
import { lineIndex, placeBetween } from './position.ts';

export interface HiddenCharacter {
  /** For example `U+202E`. */
  codePoint: string;
  /** Of the character or the escape that it is written as, else of what holds it. */
  place: Place;
}

/** Where a character of a step block is written, or what holds it. */
export type LocateInBlock = (block: BlockNode, found: InBlock) => Place;

/**
 * What no document may hold: hidden characters wherever they are read, and in step blocks every invisible one that does not
 * belong to what is seen. One that is written as it is has its own place, one that is written as an escape that of `locate`.
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

/** Invisible characters of the text beside its step blocks that do not belong to what is seen, in order. A BOM at the start is none. */
export function invisibleInProse(document: ProtocolDocument): HiddenCharacter[] {
  const { source, chains } = document;
  if (!mayHoldUnseen(source)) return [];
  const written = invisibleIn(source, 'prose').filter(
    ({ at, codePoint }) => at > 0 || codePoint !== 'U+FEFF',
  );
  const read = readIn(document, (text) => invisibleIn(text, 'prose'));
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
  find: (text: string) => InvisibleCharacter[],
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
    // Beside its texts as well, in a comment of YAML: what no text may hold stands nowhere in a step block.
    ...invisibleIn(written, 'message').map((character) => placed(source, start.offset, character)),
    ...invisibleInBlock(block.raw).map((found) => ({
      codePoint: found.codePoint,
      place: narrowed(source, locate(block, found), found),
    })),
  ];
}

/** The character itself, where it stands as it is in a place that tells no more than which text holds it. */
function narrowed(source: string, place: Place, { codePoint, length }: InBlock): Place {
  const { start, end } = place;
  const character = String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16));
  const at = source.slice(start.offset, end.offset).indexOf(character);
  return at === -1 ? place : placeBetween(lineIndex(source), start.offset + at, start.offset + at + length);
}

function placed(
  source: string,
  from: number,
  { codePoint, at, length }: InvisibleCharacter,
): HiddenCharacter {
  return { codePoint, place: placeBetween(lineIndex(source), from + at, from + at + length) };
}

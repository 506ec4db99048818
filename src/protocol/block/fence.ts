import type { Place } from '../model.ts';
import { type LineIndex, placeBetween } from '../position.ts';
import type { Lines } from '../scan/blocks.ts';

/** A fenced code block at the top level of a document. */
export interface Fence extends Lines {
  /** First word of the info string as written; empty without one. */
  language: string;
  /** What follows upon the language in the info string, and where it begins in the source. */
  meta: string;
  metaStart: number;
  marker: string;
  /** The text between the fences, without their indentation, lines ended by LF. */
  text: string;
  closed: boolean;
  /** The line that opens it. */
  opening: Place;
  place: Place;
  valuePlace: Place;
  /** From an offset in `text` to the offset in the source. */
  toSource(offset: number): number;
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Reads a fenced block's parts from the source (CommonMark 4.5). */
export function readFence(source: string, lines: LineIndex, { first, last }: Lines): Fence {
  const { starts, ends } = lines;
  const line = source.slice(starts[first], ends[first]);
  const [head, indent, marker, language] = OPENING.exec(line)!;
  const rest = line.slice(head.length);
  const meta = rest.trim();
  const closed = last > first && isClosing(source.slice(starts[last], ends[last]), marker!);
  const end = closed ? last : last + 1;
  const from = first + 1 < starts.length ? starts[first + 1]! : source.length;
  // The ending of the last line is not part of the value; an empty block has none.
  const to = end > first + 1 ? ends[end - 1]! : from;
  const read = readText(source, lines, { first: first + 1, last: end - 1 }, indent!.length);
  const start = starts[first]! + indent!.length;
  return {
    first,
    last,
    language: language!,
    meta,
    metaStart: starts[first]! + head.length + rest.length - rest.trimStart().length,
    marker: marker!,
    closed,
    opening: placeBetween(lines, start, trimmedEnd(source, start, ends[first]!)),
    place: placeBetween(lines, start, trimmedEnd(source, start, ends[last]!)),
    valuePlace: placeBetween(lines, from, to),
    text: read?.text ?? source.slice(from, to),
    toSource: read?.toSource ?? ((offset) => from + offset),
  };
}

function isClosing(line: string, marker: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing !== undefined && closing[0] === marker[0] && closing.length >= marker.length;
}

/** Null when the text is in the source unchanged. */
function readText(
  source: string,
  { starts, ends }: LineIndex,
  { first, last }: Lines,
  indent: number,
): Pick<Fence, 'text' | 'toSource'> | null {
  if (last < first || (indent === 0 && !source.slice(starts[first], ends[last]).includes('\r'))) return null;
  const pieces: string[] = [];
  /** Offset in the text and in the source at which each line begins. */
  const map: [number, number][] = [];
  let length = 0;
  for (let line = first; line <= last; line += 1) {
    let start = starts[line]!;
    for (let left = indent; left > 0 && start < ends[line]! && ' \t'.includes(source[start]!); left -= 1)
      start += 1;
    const piece = source.slice(start, ends[line]);
    map.push([length, start]);
    pieces.push(piece);
    length += piece.length + 1;
  }
  return {
    text: pieces.join('\n'),
    toSource: (offset) => {
      const [begin, start] = map.findLast(([at]) => at <= offset) ?? map[0]!;
      return start + offset - begin;
    },
  };
}

/** The end of a range without white space. */
export function trimmedEnd(source: string, start: number, end: number): number {
  let at = end;
  while (at > start && ' \t\r\n'.includes(source[at - 1]!)) at -= 1;
  return at;
}

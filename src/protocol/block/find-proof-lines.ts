import { commentsInText } from '../comments.ts';
import type { Place } from '../model.ts';
import { type LineIndex, placeBetween } from '../position.ts';
import type { Lines } from '../scan/blocks.ts';
import { trimmedEnd } from './fence.ts';
import { matchProofLine, type ProofLine } from './proof-line.ts';
import type { Section } from './section.ts';
import { tableStart } from './table.ts';

/** A proof line with its place. */
export interface FoundLine extends Lines {
  place: Place;
  commandPlace: Place;
  line: ProofLine;
  /** The next line looks as if it were the rest of the command. */
  goesOn: boolean;
}

/**
 * Lines of paragraphs at the top level, and whole items of lists there. Rows of tables and lines in comments
 * don't count.
 */
export function findProofLines({ source, lines, blocks }: Section): FoundLine[] {
  const found: FoundLine[] = [];
  for (const block of blocks) {
    if (block.type === 'paragraph') {
      const last = lastOfText(source, lines, block);
      let hidden: [number, number][] | undefined;
      for (let row = block.first; row <= last; row += 1) {
        const line = proofLineAt(source, lines, row);
        if (line === null) continue;
        const { offset } = line.place.start;
        hidden ??= commentsInText(source, lines.starts[block.first]!, lines.ends[last]!);
        if (hidden.some(([from, to]) => from < offset && offset < to)) continue;
        if (row < block.last) line.goesOn ||= ' \t'.includes(source[lines.starts[row + 1]!]!);
        found.push(line);
      }
    } else if (block.type === 'list') {
      const items = block.inner.filter(({ wholeItem }) => wholeItem);
      found.push(...items.flatMap(({ first }) => proofLineAt(source, lines, first, LIST_MARKER) ?? []));
    }
  }
  return found;
}

/** The last line of a paragraph before a table. */
function lastOfText(source: string, { starts, ends }: LineIndex, { first, last }: Lines): number {
  const bar = source.indexOf('|', starts[first]!);
  if (bar === -1 || bar >= ends[last]!) return last;
  const rows: string[] = [];
  for (let row = first; row <= last; row += 1) rows.push(source.slice(starts[row], ends[row]));
  const start = tableStart(rows);
  return start === -1 ? last : first + start - 1;
}

const LIST_MARKER = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

function proofLineAt(source: string, lines: LineIndex, row: number, marker?: RegExp): FoundLine | null {
  const from = lines.starts[row]!;
  const end = trimmedEnd(source, from, lines.ends[row]!);
  const written = source.slice(from, end);
  const start = from + written.length - written.trimStart().length;
  const lead = marker?.exec(source.slice(start, end))?.[0].length ?? 0;
  const line = matchProofLine(source.slice(start + lead, end));
  if (line === null) return null;
  const command = start + lead + line.start;
  return {
    first: row,
    last: row,
    line,
    goesOn: line.command.endsWith('\\'),
    place: placeBetween(lines, start, end),
    commandPlace: placeBetween(lines, command, command + line.command.length),
  };
}

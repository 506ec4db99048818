import { setImmediate as nextTurn } from 'node:timers/promises';
import { spendWithin } from '../../base/json-schema.ts';
import { memoize } from '../../base/memoize.ts';
import { findLines, type LineIndex } from '../position.ts';
import { MAX_LABEL } from '../terms.ts';
import {
  appendBlocks,
  collapseSpace,
  cutFrontmatter,
  cutsOf,
  type FoundBlock,
  type FoundBlocks,
  type FoundHeading,
  type InnerBlock,
  isNestingError,
  NestingError,
  noBlocks,
  type Scan,
  trimSpace,
} from './blocks.ts';
import {
  addText,
  type FastPathReader,
  fenceEnd,
  isBlank,
  kindFrom,
  lineFrom,
  markEnd,
  plainHeadingText,
  startsWithOne,
  textStart,
  withoutClosing,
} from './plain-lines.ts';
import { readList } from './plain-list.ts';

/**
 * Finds the top-level blocks of a document as remark with GFM and frontmatter finds them: by the fast path where it can, else by
 * remark itself. Throws NestingError when containers are nested too deeply. remark is loaded only for documents that need it.
 */
export async function scan(source: string, lines: LineIndex, limitMs = READING_LIMIT_MS): Promise<Scan> {
  // The parser and lint ask for the same text one after the other.
  if (last?.source === source) return last.found;
  const found = await read(source, lines, limitMs);
  last = { source, found };
  return found;
}

let last: { source: string; found: Scan } | undefined;

async function read(source: string, lines: LineIndex, limitMs: number): Promise<Scan> {
  const plain = scanFastPath(source, lines);
  if (plain !== null) return resolve(plain);
  reference ??= (await import('./reference.ts')).scanReference;
  return resolve(await scanInPieces(source, lines, limitMs));
}

/** remark needs one second for a megabyte of ordinary text, and much longer for a paragraph of many thousand lines. */
const READING_LIMIT_MS = 10_000;

let reference: ((source: string, lines: LineIndex) => FoundBlocks) | undefined;

/**
 * Leaves to remark only the pieces of a document that the fast path can't read; while it is edited, only those that change. Other
 * tasks get a turn between groups of pieces.
 */
async function scanInPieces(source: string, lines: LineIndex, limitMs: number): Promise<FoundBlocks> {
  const budget = { limitMs, spentMs: 0 };
  const ends = [...cutsOf(source, lines), lines.starts.length];
  const whole = noBlocks();
  for (let [first, at] = [0, 0]; first < lines.starts.length; ) {
    const some = spendWithin(budget, () => readSome(source, lines, ends, first, at), 2);
    appendBlocks(whole, some.found, 0);
    ({ first, at } = some);
    if (first < lines.starts.length) await nextTurn();
  }
  return whole;
}

/** UTF-16 units that are read in one turn. remark needs a few milliseconds for them. */
const TURN = 2048;

/** Reads pieces for one turn, from piece number `at`, which begins at line `first`. Returns what it found, with the next line and piece. */
function readSome(
  source: string,
  { starts }: LineIndex,
  ends: readonly number[],
  first: number,
  at: number,
): { found: FoundBlocks; first: number; at: number } {
  const next = { found: noBlocks(), first, at };
  const stop = starts[first]! + TURN;
  // A piece that stays open is read again with twice as much of what follows, so that few texts are read often.
  for (let width = 1; (starts[next.first] ?? stop) < stop; ) {
    const end = ends[Math.min(next.at + width, ends.length) - 1]!;
    const text = source.slice(starts[next.first], starts[end] ?? source.length);
    const found = pieceAt(text, next.first, end < starts.length);
    if (found === null) {
      width *= 2;
      continue;
    }
    appendBlocks(next.found, found, next.first);
    [next.first, next.at, width] = [end, next.at + width, 1];
  }
  return next;
}

/** Reads a piece that begins at a line; null when what follows it belongs to its last block. */
function pieceAt(text: string, first: number, isCut: boolean): FoundBlocks | null {
  try {
    return isCut ? readCut(text) : readLast(text);
  } catch (error) {
    if (!isNestingError(error)) throw error;
    throw new NestingError(error.line + first);
  }
}

/** UTF-16 units of the pieces that are kept. */
const KEPT = 1024 * 1024;

const readLast = memoize((text: string) => readWhole(text, findLines(text)), KEPT);

/** With a heading below, as in the document: it ends containers. In an open fence or HTML block it isn't a heading. */
const readCut = memoize((text: string) => {
  const lines = findLines(`${text}#`);
  const found = readWhole(`${text}#`, lines);
  const below = found.blocks.at(-1);
  const isEnded = below?.type === 'heading' && below.first === lines.starts.length - 1;
  return isEnded ? { ...found, blocks: found.blocks.slice(0, -1) } : null;
}, KEPT);

const readWhole = (text: string, lines: LineIndex) => scanFastPath(text, lines) ?? reference!(text, lines);

/** Adds the texts of the headings of which only the markdown is known; remark reads those with inline syntax. */
async function resolve(found: FoundBlocks): Promise<Scan> {
  for (const heading of found.blocks) {
    if (heading.type !== 'heading' || heading.text !== null) continue;
    const { raw } = heading;
    heading.text = raw.length > MAX_LABEL ? collapseSpace(raw) : plainHeadingText(raw);
    if (heading.text !== null) continue;
    heading.text = (await import('./heading-text.ts')).headingText(heading, found);
    await nextTurn();
  }
  return { frontmatter: found.frontmatter, blocks: found.blocks as Scan['blocks'] };
}

/**
 * The fast path: finds the blocks of a simple document (headings with marks, fences, paragraphs, lists and
 * quotes of text, whole-line comments, tables with outer pipes), in a hundredth of remark's time. Returns
 * null for a document with anything else.
 */
export function scanFastPath(source: string, lines: LineIndex): FoundBlocks | null {
  // White space of another kind than spaces is read in several ways.
  if (/[^\S \n]/.test(source)) return null;
  const frontmatter = cutFrontmatter(source, lines);
  const reader: FastPathReader = { source, lines, mayDefine: source.includes(']:') };
  const blocks: FoundBlock[] = [];
  for (let line = (frontmatter?.last ?? -1) + 1; line < lines.starts.length; ) {
    if (isBlank(reader, line)) {
      line += 1;
      continue;
    }
    const block = blockAt(reader, line);
    if (block === null) return null;
    blocks.push(block);
    line = block.last + 1;
  }
  return { frontmatter, blocks, definitions: [], footnotes: [] };
}

function blockAt(reader: FastPathReader, line: number): FoundBlock | null {
  const { source, lines } = reader;
  const at = textStart(reader, line);
  if (at - lines.starts[line]! > 3) return null;
  switch (kindFrom(reader, line, at)) {
    case 'text':
      return paragraph(reader, line);
    case 'heading':
      return heading(reader, line, at);
    case 'fence': {
      const last = fenceEnd(reader, line, at, 0);
      return last === null ? null : { type: 'code', fenced: true, first: line, last };
    }
    case 'comment': {
      const close = source.indexOf('-->', at);
      return close === -1 ? null : { type: 'html', first: line, last: lineFrom(lines, line, close) };
    }
    case 'rule':
      return { type: 'rule', first: line, last: line };
    case 'quote':
      return at === lines.starts[line] ? quote(reader, line) : null;
    case 'bullet':
    case 'number':
      return readList(reader, line);
    case 'row':
      return table(reader, line);
    default:
      return null;
  }
}

/** What may interrupt a paragraph does; what makes a heading of it, or might, makes the document not plain. */
function paragraph(reader: FastPathReader, first: number): FoundBlock | null {
  for (let line = first + 1; ; line += 1) {
    const end = interruption(reader, line);
    if (end === 'unsure') return null;
    if (end === 'ends') return { type: 'paragraph', first, last: line - 1 };
  }
}

/** The effect of a line on a paragraph above it, which is in no container of the line. */
function interruption(reader: FastPathReader, line: number): 'ends' | 'goes-on' | 'unsure' {
  if (line >= reader.lines.starts.length) return 'ends';
  const at = textStart(reader, line);
  if (at === reader.lines.ends[line]) return 'ends';
  if (at - reader.lines.starts[line]! > 3) return 'goes-on';
  switch (kindFrom(reader, line, at)) {
    case 'text':
      return 'goes-on';
    case 'heading':
    case 'fence':
    case 'comment':
    case 'quote':
    case 'bullet':
      return 'ends';
    case 'number':
      return startsWithOne(reader.source, at) ? 'ends' : 'unsure';
    default:
      return 'unsure';
  }
}

function heading({ source, lines }: FastPathReader, line: number, at: number): FoundHeading {
  const end = lines.ends[line]!;
  const after = markEnd(source, at, end);
  const depth = after - at;
  const raw = withoutClosing(trimSpace(source.slice(after, end)));
  const text = depth > 2 ? '' : plainHeadingText(raw);
  return { type: 'heading', depth, raw, text, first: line, last: line };
}

/** Rows between blank lines, or up to the end. */
function table(reader: FastPathReader, first: number): FoundBlock | null {
  let last = first;
  while (last + 1 < reader.lines.starts.length && !isBlank(reader, last + 1)) {
    last += 1;
    const at = textStart(reader, last);
    if (at - reader.lines.starts[last]! > 3 || reader.source[at] !== '|') return null;
  }
  return { type: 'paragraph', first, last };
}

function quote(reader: FastPathReader, first: number): FoundBlock | null {
  const { source, lines } = reader;
  const inner: InnerBlock[] = [];
  let open: InnerBlock | null = null;
  let line = first;
  for (; line < lines.starts.length && !isBlank(reader, line); line += 1) {
    const start = lines.starts[line]!;
    const end = lines.ends[line]!;
    if (source[start] === '>') {
      let at = start + (source[start + 1] === ' ' ? 2 : 1);
      const column = at;
      while (at < end && source[at] === ' ') at += 1;
      if (at === end) open = null;
      else {
        const isText = open !== null && at - column > 3;
        if (!isText && (at - column > 3 || kindFrom(reader, line, at) !== 'text')) return null;
        open = addText(inner, open, line, source.slice(at, end));
      }
      continue;
    }
    const then = open === null ? 'ends' : interruption(reader, line);
    if (then === 'unsure' || (then === 'ends' && source.charCodeAt(textStart(reader, line)) === 62))
      return null;
    if (then === 'ends') break;
    open = addText(inner, open, line, source.slice(textStart(reader, line), end));
  }
  return { type: 'quote', first, last: line - 1, inner };
}

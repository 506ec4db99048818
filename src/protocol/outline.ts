import type { TimeBudget } from '../base/json-schema.ts';
import type { LineIndex } from './position.ts';
import { type Block, collapseSpace, type HeadingBlock, type Lines, type Scan } from './scan/blocks.ts';

/** A heading with the blocks under it, up to the next heading of its rank or above. */
export interface OutlinePart {
  heading: HeadingBlock;
  /** Last line that belongs to it, blank lines included. */
  last: number;
  blocks: Block[];
}

export interface ChainPart extends OutlinePart {
  /** The H2s; `blocks` are those before the first of them. */
  parts: OutlinePart[];
}

export interface Outline {
  /** The blocks before the first H1, H2s included. */
  before: Block[];
  chains: ChainPart[];
}

/**
 * Groups a document's blocks: H1s are chains, H2s their parts. Headings inside containers don't count as
 * blocks.
 */
export function outline({ blocks }: Scan, lastLine: number): Outline {
  const result: Outline = { before: [], chains: [] };
  let open: Block[] = result.before;
  for (const block of blocks) {
    const chain = result.chains.at(-1);
    if (block.type === 'heading' && block.depth === 1) {
      end(chain, block.first - 1);
      const next: ChainPart = { heading: block, last: lastLine, blocks: [], parts: [] };
      result.chains.push(next);
      open = next.blocks;
    } else if (block.type === 'heading' && block.depth === 2 && chain !== undefined) {
      const before = chain.parts.at(-1);
      if (before !== undefined) before.last = block.first - 1;
      const part: OutlinePart = { heading: block, last: lastLine, blocks: [] };
      chain.parts.push(part);
      open = part.blocks;
    } else open.push(block);
  }
  return result;
}

function end(chain: ChainPart | undefined, last: number): void {
  if (chain === undefined) return;
  chain.last = last;
  const part = chain.parts.at(-1);
  if (part !== undefined) part.last = last;
}

/** What could be markup in a heading: escapes, code, emphasis, links, HTML, strikethrough, character references. */
const MARKUP = '[\\\\`*[\\]<~]|&(?=[#A-Za-z])|(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])';
/** A literal autolink would keep the backslashes inside it, so that it must not become one. */
const AUTOLINK = ':(?=//)|(?<=[Ww][Ww][Ww])\\.|@';

const HAS_MARKUP = new RegExp(MARKUP, 'u');
const TO_ESCAPE = new RegExp(`${MARKUP}|${AUTOLINK}`, 'gu');
/** Hashes at the end would be read as a closing sequence (CommonMark 4.2). */
const CLOSING = /(^| )(#+)$/;

/**
 * Inline markdown whose plain text is the given text. A bare URL is unchanged: it reads the same as a link.
 */
export function inlineSource(text: string): string {
  return HAS_MARKUP.test(text) ? text.replace(TO_ESCAPE, '\\$&') : text;
}

/** An ATX heading whose plain text is the label, white space in it collapsed. */
export function headingSource(depth: 1 | 2 | 3, label: string): string {
  const text = collapseSpace(label);
  const marks = '#'.repeat(depth);
  if (text === '') return marks;
  return `${marks} ${inlineSource(text).replace(CLOSING, '$1\\$2')}`;
}

/** Lines that are left out, and the text that stays in their place. */
export interface Cut extends Lines {
  kept: string;
}

/**
 * The markdown of some lines without those that are cut: no blank lines at the beginning, no white space at
 * the end, lines ended by LF. The text around the cut stays two pieces.
 */
export function bodyText(source: string, lines: LineIndex, { first, last }: Lines, cut: Cut | null): string {
  if (cut === null) return trimBlank(slice(source, lines, first, last));
  const upToCut = trimBlank(slice(source, lines, first, cut.first - 1));
  const before = [upToCut, cut.kept].filter((part) => part !== '').join('\n\n');
  const after = trimBlank(slice(source, lines, cut.last + 1, last));
  if (before === '' || after === '') return before + after;
  // Without a comment between them, a list would include the indented text.
  return /^[ \t]/.test(after) ? `${before}\n\n<!-- -->\n\n${after}` : `${before}\n\n${after}`;
}

function slice(source: string, { starts, ends }: LineIndex, first: number, last: number): string {
  if (last < first) return '';
  const text = source.slice(starts[first], ends[last]);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The first line keeps its indentation, which may make it code. */
function trimBlank(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = 0;
  for (let at = 0; at < end && isSpace(text.charCodeAt(at)); at += 1) {
    if (text.charCodeAt(at) === LF) start = at + 1;
  }
  return text.slice(start, end);
}

const LF = 10;

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === LF;
}

/** A piece of a document between two headings, with the means to point into it. */
export interface Section {
  source: string;
  lines: LineIndex;
  /** Blocks at the top level, headings below H2 among them. */
  blocks: readonly Block[];
  /** False for a description, a metadata section, and text before the first H1: nothing is demanded there. */
  isStep: boolean;
  /** Whether the document contains anything that could be a demand in the wrong place. */
  mayDemand: boolean;
  /** Whether the document contains the words of a proof line. */
  mayHaveProofLines: boolean;
  /** For the patterns and schemas of the document. */
  budget: TimeBudget;
}

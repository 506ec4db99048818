import type { LineIndex } from '../position.ts';

/**
 * What a scanner finds in a document: its top-level blocks in order, by line. Lines are 0-based, `last` inclusive.
 * Link reference definitions are left out, and a table counts as a paragraph.
 */
export interface Scan {
  /** Lines of the YAML frontmatter, its two fences included. */
  frontmatter: Lines | null;
  blocks: Block[];
}

export interface Lines {
  first: number;
  last: number;
}

export type Block = HeadingBlock | CodeBlock | TextBlock | ContainerBlock;

export interface HeadingBlock extends Lines {
  type: 'heading';
  depth: number;
  /** Plain text, white space collapsed. Empty below depth 2, where it isn't needed. */
  text: string;
}

interface CodeBlock extends Lines {
  type: 'code';
  fenced: boolean;
}

interface TextBlock extends Lines {
  type: 'html' | 'paragraph' | 'rule';
}

export interface ContainerBlock extends Lines {
  type: 'list' | 'quote' | 'footnote';
  /** Every code block, HTML block and paragraph inside, at any depth, in document order. */
  inner: InnerBlock[];
}

export interface InnerBlock extends Lines {
  type: 'code' | 'html' | 'paragraph';
  /** The text without the containers' prefixes and without fences. */
  value: string;
  /** First word of a fence's info string; null for indented code, text and HTML. */
  language: string | null;
  /** The rest of a fence's info string. */
  meta: string;
  /** All there is in an item of a top-level list, and on one line. */
  wholeItem: boolean;
}

/**
 * A heading from a scanner: `raw` is its markdown without marker or underline, and `text` is null when only
 * the reference knows.
 */
export interface FoundHeading extends Lines {
  type: 'heading';
  depth: number;
  raw: string;
  text: string | null;
}

export type FoundBlock = FoundHeading | Exclude<Block, HeadingBlock>;

/** What a scanner hands on before the texts of all headings are known. */
export interface FoundBlocks {
  frontmatter: Lines | null;
  blocks: FoundBlock[];
  /** Labels of the link reference definitions and of the footnotes, as written or normalised. */
  definitions: string[];
  footnotes: string[];
}

/** The lines of a setext heading above its underline, unchanged. */
export function setextSource(source: string, lines: LineIndex, first: number, underline: number): string {
  const text: string[] = [];
  for (let line = first; line < underline; line += 1)
    text.push(source.slice(lines.starts[line], lines.ends[line]));
  return text.join('\n');
}

/** Raised when blocks are nested deeper than the limit. `line` is 0-based. */
export class NestingError extends Error {
  override readonly name = 'NestingError';
  readonly line: number;

  constructor(line: number) {
    super('nested too deeply');
    this.line = line;
  }
}

/** Checks the name, because a scanner that is loaded lazily may have a separate class. */
export function isNestingError(error: unknown): error is NestingError {
  return error instanceof Error && error.name === 'NestingError';
}

/** Without spaces, tabs and line endings around it. In linear time, unlike a pattern with `$`. */
export function trimSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = 0;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

/** Runs of spaces, tabs and line endings become one space, none at the ends. */
export function collapseSpace(text: string): string {
  return trimSpace(text).replace(/[ \t\r\n]+/g, ' ');
}

/**
 * The lines of YAML frontmatter as remark-frontmatter finds them: the first line and the next equal one
 * consist of three hyphens, spaces and tabs allowed after. Without a closing line there is no frontmatter.
 */
export function cutFrontmatter(source: string, lines: LineIndex): Lines | null {
  if (!isFence(source, lines, 0)) return null;
  for (let line = 1; line < lines.starts.length; line += 1) {
    if (isFence(source, lines, line)) return { first: 0, last: line };
  }
  return null;
}

/**
 * The lines at which a document can be cut, so that each piece alone has the blocks that it has in the whole: headings with marks at the
 * margin, below a blank line. They end every container; only a fence or an HTML block can continue across such a line.
 */
export function cutsOf(source: string, lines: LineIndex): number[] {
  const cuts: number[] = [];
  for (let line = (cutFrontmatter(source, lines)?.last ?? 0) + 1; line < lines.starts.length; line += 1) {
    const start = lines.starts[line]!;
    if (source.charCodeAt(start) !== 35) continue;
    const before = source.slice(lines.starts[line - 1], lines.ends[line - 1]);
    if (trimSpace(before) === '' && /^#{1,6}(?:[ \t]|$)/.test(source.slice(start, lines.ends[line])))
      cuts.push(line);
  }
  return cuts;
}

export function noBlocks(): FoundBlocks {
  return { frontmatter: null, blocks: [], definitions: [], footnotes: [] };
}

/** Adds what was found in the next piece of a document, which begins `by` lines further down. */
export function appendBlocks(whole: FoundBlocks, found: FoundBlocks, by: number): void {
  const moved = <T extends Lines>(each: T): T => ({ ...each, first: each.first + by, last: each.last + by });
  whole.frontmatter ??= found.frontmatter;
  // One by one: a piece can have more blocks than a call may have arguments.
  for (const block of found.blocks)
    whole.blocks.push('inner' in block ? { ...moved(block), inner: block.inner.map(moved) } : moved(block));
  for (const label of found.definitions) whole.definitions.push(label);
  for (const label of found.footnotes) whole.footnotes.push(label);
}

/** Whether a document opens with a line that would begin frontmatter if it were closed. */
export function opensFrontmatter(source: string, lines: LineIndex): boolean {
  return isFence(source, lines, 0) && lines.starts.length > 1;
}

function isFence(source: string, lines: LineIndex, line: number): boolean {
  const start = lines.starts[line]!;
  const end = lines.ends[line]!;
  if (end - start < 3 || !source.startsWith('---', start)) return false;
  for (let at = start + 3; at < end; at += 1) {
    const code = source.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09) return false;
  }
  return true;
}

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

export interface CodeBlock extends Lines {
  type: 'code';
  fenced: boolean;
}

export interface TextBlock extends Lines {
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

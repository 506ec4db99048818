import { Parser } from 'commonmark';
import type { LineIndex } from '../position.ts';
import {
  type CodeBlock,
  type ContainerBlock,
  collapseSpace,
  type FoundBlocks,
  type FoundHeading,
  type InnerBlock,
  NestingError,
  setextSource,
  type TextBlock,
  trimSpace,
} from './blocks.ts';
import { cutFrontmatter } from './frontmatter.ts';

/** What commonmark.js keeps about a block. */
interface Node {
  type: string;
  sourcepos: [[number, number], [number, number]];
  level: number;
  info: string | null;
  literal: string | null;
  parent: Node | null;
  firstChild: Node | null;
  next: Node | null;
  walker(): { next(): { entering: boolean; node: Node } | null };
  _string_content: string | null;
}

interface BlockParser {
  options: object;
  refmap: Record<string, unknown>;
  tip: Node;
  lineNumber: number;
  inlineParser: { refmap: object; options: object; parse(node: Node): void };
  parse(input: string): Node;
  processInlines(document: Node): void;
  addChild(type: string, offset: number): Node;
}

/** A text with its lines, the first of which are frontmatter and skipped. */
interface Source {
  text: string;
  lines: LineIndex;
  skipped: number;
}

const AFTER_CODE: ReadonlySet<string> = new Set(['list', 'block_quote']);
const CONTAINERS: ReadonlySet<string> = new Set(['block_quote', 'item']);
/** Inline syntax of any kind: without it a heading's text is what is written. */
const MAY_BE_MARKUP = /[\\`*_~[\]<>&!@:]|www/i;
/** Inline syntax on which commonmark.js and GFM differ: strikethrough, literal autolinks; and images' descriptions. */
const GFM_MARKUP = /~|!\[|@|:\/\/|www/i;

/**
 * Finds the blocks with commonmark.js, which is many times faster than the reference and the same on every document
 * that `needsReference` lets pass. Throws NestingError as soon as a container lies deeper than `maxDepth`.
 */
export function scanFast(text: string, lines: LineIndex, maxDepth: number): FoundBlocks {
  const frontmatter = cutFrontmatter(text, lines);
  const skipped = frontmatter === null ? 0 : frontmatter.last + 1;
  const source = { text, lines, skipped };
  const { parser, document } = parseBlocks(source, maxDepth);
  const blocks: FoundBlocks['blocks'] = [];
  let doubtful = false;
  for (let node = document.firstChild; node !== null; node = node.next) {
    doubtful ||= isDoubtful(node);
    if (node.type === 'paragraph' && textLines(node) === 0) continue;
    blocks.push(node.type === 'heading' ? heading(parser, node, source) : block(node, skipped));
  }
  return { frontmatter, blocks, definitions: Object.keys(parser.refmap), footnotes: [], doubtful };
}

/** After indented code, the reference takes some list items for text. */
function isDoubtful(root: Node): boolean {
  const walker = root.walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { entering, node } = event;
    if (entering && node.type === 'code_block' && node.info === null && AFTER_CODE.has(node.next?.type ?? ''))
      return true;
  }
  return false;
}

function parseBlocks(source: Source, maxDepth: number): { parser: BlockParser; document: Node } {
  const parser = new Parser() as unknown as BlockParser;
  const { addChild } = parser;
  // Only headings need their inlines, and those are parsed one by one.
  parser.processInlines = () => {};
  parser.addChild = (type, offset) => {
    const node = addChild.call(parser, type, offset);
    if (CONTAINERS.has(type) && depthOf(node) > maxDepth)
      throw new NestingError(parser.lineNumber - 1 + source.skipped);
    return node;
  };
  const from = source.lines.starts[source.skipped] ?? source.text.length;
  return { parser, document: parser.parse(source.text.slice(from)) };
}

function depthOf(node: Node): number {
  let depth = 0;
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (CONTAINERS.has(at.type)) depth += 1;
  }
  return depth;
}

function heading(parser: BlockParser, node: Node, source: Source): FoundHeading {
  const content = node._string_content ?? '';
  const last = node.sourcepos[1][0] - 1 + source.skipped;
  const first = last - textLines(node);
  const found = {
    type: 'heading' as const,
    depth: node.level,
    first,
    last,
    raw: trimSpace(content),
  };
  if (first < last) found.raw = setextSource(source.text, source.lines, first, last);
  if (node.level > 2) return { ...found, text: '' };
  const { raw } = found;
  if (!MAY_BE_MARKUP.test(raw)) return { ...found, text: collapseSpace(raw) };
  if (isUnsure(raw, parser)) return { ...found, text: null };
  parser.inlineParser.refmap = parser.refmap;
  parser.inlineParser.options = parser.options;
  parser.inlineParser.parse(node);
  return { ...found, text: plainText(node) };
}

/** The parser trims more than white space of CommonMark, and indented lines of code spans are told in two ways. */
function isUnsure(raw: string, parser: BlockParser): boolean {
  if (GFM_MARKUP.test(raw) || raw.includes('\n') || raw !== raw.trim()) return true;
  return raw.includes('[') && Object.keys(parser.refmap).length > 0;
}

function plainText(root: Node): string {
  let text = '';
  const walker = root.walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { entering, node } = event;
    if (!entering) continue;
    if (node.type === 'softbreak' || node.type === 'linebreak') text += ' ';
    else text += node.literal ?? '';
  }
  return collapseSpace(text);
}

function block(node: Node, skipped: number): CodeBlock | TextBlock | ContainerBlock {
  const [[first], [last]] = node.sourcepos;
  const lines = { first: first - 1 + skipped, last: last - 1 + skipped };
  switch (node.type) {
    case 'code_block':
      return { type: 'code', fenced: node.info !== null, ...lines };
    case 'html_block':
      return { type: 'html', ...lines };
    case 'thematic_break':
      return { type: 'rule', ...lines };
    case 'list':
      return { type: 'list', ...lines, inner: innerBlocks(node, skipped) };
    case 'block_quote':
      return { type: 'quote', ...lines, inner: innerBlocks(node, skipped) };
    default:
      return { type: 'paragraph', first: lines.last - textLines(node) + 1, last: lines.last };
  }
}

function innerBlocks(container: Node, skipped: number): InnerBlock[] {
  const found: InnerBlock[] = [];
  const walker = container.walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { entering, node } = event;
    if (!entering) continue;
    const [[first], [last]] = node.sourcepos;
    const lines = { first: first - 1 + skipped, last: last - 1 + skipped };
    if (node.type === 'code_block') {
      const language = node.info === null ? null : (/^\S*/.exec(node.info)?.[0] ?? '');
      found.push({
        type: 'code',
        ...lines,
        value: (node.literal ?? '').replace(/\n$/, ''),
        language,
        wholeItem: false,
      });
    } else if (node.type === 'html_block') {
      found.push({ type: 'html', ...lines, value: node.literal ?? '', language: null, wholeItem: false });
    } else if (node.type === 'paragraph' && textLines(node) > 0) {
      const wholeItem = isWholeItem(node, container);
      found.push({
        type: 'paragraph',
        first: lines.last - textLines(node) + 1,
        last: lines.last,
        value: node._string_content ?? '',
        language: null,
        wholeItem,
      });
    }
  }
  return found;
}

/** The parser counts link reference definitions above a text to it; so its first line is told from its last. */
function textLines(node: Node): number {
  const content = node._string_content ?? '';
  let count = 0;
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) count += 1;
  return count;
}

function isWholeItem(paragraph: Node, container: Node): boolean {
  const item = paragraph.parent;
  if (container.type !== 'list' || item?.parent !== container) return false;
  const [[first]] = paragraph.sourcepos;
  return item.sourcepos[0][0] === first && item.sourcepos[1][0] === first;
}

import type { Code, Heading, Nodes, Paragraph, Parents, Root, RootContent } from 'mdast';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';
import type { LineIndex } from '../position.ts';
import { MAX_NESTING } from '../terms.ts';
import {
  cutFrontmatter,
  type FoundBlock,
  type FoundBlocks,
  type FoundHeading,
  type InnerBlock,
  type Lines,
  NestingError,
  setextSource,
  trimSpace,
} from './blocks.ts';

/**
 * Inline syntax doesn't change the blocks, and micromark reads some of it in quadratic time. With it switched off, the text of a
 * heading is its markdown.
 */
const INLINE_CONSTRUCTS = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
  'emailAutolink',
  'gfmFootnoteCall',
  'gfmPotentialFootnoteCall',
  'protocolAutolink',
  'strikethrough',
  'tasklistCheck',
  'wwwAutolink',
];

const gfm = unified().use(remarkParse).use(remarkGfm).freeze();

const blockReader = gfm().use(remarkFrontmatter).use(blocksOnly).freeze();

/** For a document without frontmatter: an opening line that nothing closes would make remark miss its first list. */
const plainBlockReader = gfm().use(blocksOnly).freeze();

/** Switches inline syntax off, and the tree transforms with it: they only rewrite links in text. */
function blocksOnly(this: Processor): void {
  const data = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: INLINE_CONSTRUCTS } }];
  data.fromMarkdownExtensions = data.fromMarkdownExtensions
    ?.flat()
    .filter((extension) => extension.transforms === undefined);
}

/** Parses markdown with remark and GFM. Inline syntax included, so the caller bounds the input. */
export function parseMarkdown(source: string): Root {
  return gfm.parse(source);
}

/** Finds the blocks with remark. Throws NestingError when containers are nested deeper than MAX_NESTING. The caller bounds the time. */
export function scanReference(source: string, lines: LineIndex): FoundBlocks {
  refuseDeepLines(source, lines);
  const tree = (cutFrontmatter(source, lines) === null ? plainBlockReader : blockReader).parse(source);
  refuseDeepTree(tree);
  const [first] = tree.children;
  const found: FoundBlocks = {
    frontmatter: first?.type === 'yaml' ? linesOf(first) : null,
    blocks: [],
    ...labels(tree),
  };
  for (const [at, node] of tree.children.entries()) {
    const block = blockOf(source, lines, node);
    if (block === null) continue;
    const before = found.blocks.at(-1);
    if (before !== undefined && goesOn(source, tree.children[at - 1]!, node)) before.last = block.last;
    else found.blocks.push(block);
  }
  return found;
}

/** Far more than MAX_NESTING, so that rows of marks in code or tables pass, and little enough to keep remark fast. */
const MAX_MARKS = 4 * MAX_NESTING;

/** Refuses lines that may open or continue too many containers, because remark's time grows with their number. */
function refuseDeepLines(source: string, { starts, ends }: LineIndex): void {
  let deepest = 0;
  for (let line = 0; line < starts.length; line += 1) {
    const { marks, columns } = prefix(source.slice(starts[line], ends[line]));
    const depth = marks + Math.min(Math.floor(columns / 2), deepest);
    if (depth > MAX_MARKS) throw new NestingError(line);
    deepest = Math.max(deepest, depth);
  }
}

/** How many containers, footnotes included, the marks at the beginning of a line may open, and the columns of its spaces. */
function prefix(line: string): { marks: number; columns: number } {
  const token = /[ \t]{1,4}|(>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]]{1,999}\]:)/y;
  let columns = 0;
  let marks = 0;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    if (match[1] !== undefined) marks += 1;
    else columns += match[0].includes('\t') ? 4 : match[0].length;
  }
  return { marks, columns };
}

const CONTAINERS: ReadonlySet<string> = new Set(['blockquote', 'listItem', 'footnoteDefinition']);

function refuseDeepTree(tree: Root): void {
  const pending: { node: Parents; depth: number }[] = [{ node: tree, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const child of next.node.children) {
      if (!('children' in child)) continue;
      const depth = next.depth + (CONTAINERS.has(child.type) ? 1 : 0);
      if (depth > MAX_NESTING) throw new NestingError(linesOf(child).first);
      pending.push({ node: child, depth });
    }
  }
}

/**
 * A table may follow a paragraph, and indented code is sometimes found in pieces: each counts as one block
 * here.
 */
function goesOn(source: string, before: RootContent, node: RootContent): boolean {
  if (node.type === 'table')
    return before.type === 'paragraph' && linesOf(before).last + 1 === linesOf(node).first;
  return (
    node.type === 'code' && before.type === 'code' && !isFenced(source, node) && !isFenced(source, before)
  );
}

function blockOf(source: string, index: LineIndex, node: RootContent): FoundBlock | null {
  const lines = linesOf(node);
  switch (node.type) {
    case 'heading':
      return heading(source, index, node);
    case 'code':
      return { type: 'code', fenced: isFenced(source, node), ...lines };
    case 'html':
      return { type: 'html', ...lines };
    case 'thematicBreak':
      return { type: 'rule', ...lines };
    case 'list':
      return { type: 'list', ...lines, inner: innerBlocks(source, node) };
    case 'blockquote':
      return { type: 'quote', ...lines, inner: innerBlocks(source, node) };
    case 'footnoteDefinition':
      return { type: 'footnote', ...lines, inner: innerBlocks(source, node) };
    case 'yaml':
    case 'definition':
      return null;
    default:
      return { type: 'paragraph', ...lines };
  }
}

function heading(source: string, lines: LineIndex, node: Heading): FoundHeading {
  const text = trimSpace(rawText(node));
  const { first, last } = linesOf(node);
  const found = { type: 'heading' as const, depth: node.depth, text: node.depth > 2 ? '' : null };
  if (first === last) return { ...found, raw: text, first, last };
  // The parser counts link reference definitions above a setext heading to it.
  const begin = last - text.split('\n').length;
  return { ...found, raw: setextSource(source, lines, begin, last), first: begin, last };
}

function innerBlocks(source: string, container: Parents): InnerBlock[] {
  const found: InnerBlock[] = [];
  walk(container, (node, parent) => {
    const lines = linesOf(node);
    if (node.type === 'code') {
      const language = isFenced(source, node) ? (node.lang ?? '') : null;
      found.push({
        type: 'code',
        ...lines,
        value: node.value.replace(/\r\n?/g, '\n'),
        language,
        meta: node.meta ?? '',
        wholeItem: false,
      });
    } else if (node.type === 'html') {
      found.push({
        type: 'html',
        ...lines,
        value: node.value.replace(/\r\n?/g, '\n'),
        language: null,
        meta: '',
        wholeItem: false,
      });
    } else if (node.type === 'paragraph') {
      const wholeItem = isWholeItem(node, parent, container);
      found.push({ type: 'paragraph', ...lines, value: rawText(node), language: null, meta: '', wholeItem });
    }
  });
  return found;
}

function isWholeItem(paragraph: Paragraph, item: Parents, list: Nodes): boolean {
  if (list.type !== 'list' || item.type !== 'listItem' || !list.children.includes(item)) return false;
  const { first, last } = linesOf(paragraph);
  return item.children.length === 1 && first === last && linesOf(item).first === first;
}

function labels(tree: Root): Pick<FoundBlocks, 'definitions' | 'footnotes'> {
  const definitions: string[] = [];
  const footnotes: string[] = [];
  walk(tree, (node) => {
    if (node.type === 'definition') definitions.push(oneLine(node.label ?? node.identifier));
    if (node.type === 'footnoteDefinition') footnotes.push(oneLine(node.label ?? node.identifier));
  });
  return { definitions, footnotes };
}

function oneLine(label: string): string {
  return label.replace(/[ \t\r\n]+/g, ' ');
}

/** Visits all descendants in document order, without recursion. */
function walk(root: Parents, visit: (node: Nodes, parent: Parents) => void): void {
  const pending: { node: Nodes; parent: Parents }[] = [];
  const push = (parent: Parents): void => {
    for (let at = parent.children.length - 1; at >= 0; at -= 1)
      pending.push({ node: parent.children[at]!, parent });
  };
  push(root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    visit(next.node, next.parent);
    if ('children' in next.node) push(next.node);
  }
}

/** With inline syntax off, a paragraph or heading contains only text and line breaks. */
function rawText(node: Parents): string {
  return node.children
    .map((child) => ('value' in child ? child.value.replace(/\r\n?/g, '\n') : '\n'))
    .join('');
}

/** An indented block begins with its indentation. Positions of the parser do not count a BOM. */
function isFenced(source: string, node: Code): boolean {
  const start = node.position!.start.offset! + (source.startsWith('\ufeff') ? 1 : 0);
  return source[start] === '`' || source[start] === '~';
}

function linesOf(node: Nodes): Lines {
  return { first: node.position!.start.line - 1, last: node.position!.end.line - 1 };
}

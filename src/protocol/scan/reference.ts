import type { Code, Heading, Nodes, Paragraph, Parents, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import type { LineIndex } from '../position.ts';
import {
  type Block,
  type FoundBlocks,
  type FoundHeading,
  type HeadingBlock,
  type InnerBlock,
  type Lines,
  setextSource,
  trimSpace,
} from './blocks.ts';

/**
 * Inline syntax says nothing about blocks, and some of it takes micromark quadratic time and worse. Switched off, the
 * text of a heading is its markdown.
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

/** Finds the blocks with the reference: remark's parser with GFM and YAML frontmatter. */
export function scanReference(source: string, lines: LineIndex): FoundBlocks {
  const tree = parseTree(source);
  const [first] = tree.children;
  const found: FoundBlocks = {
    frontmatter: first?.type === 'yaml' ? linesOf(first) : null,
    doubtful: false,
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

/** A table may follow upon a paragraph, and indented code is sometimes found in pieces: to us each is one block. */
function goesOn(source: string, before: RootContent, node: RootContent): boolean {
  if (node.type === 'table')
    return before.type === 'paragraph' && linesOf(before).last + 1 === linesOf(node).first;
  return (
    node.type === 'code' && before.type === 'code' && !isFenced(source, node) && !isFenced(source, before)
  );
}

function parseTree(source: string): Root {
  return fromMarkdown(source, {
    extensions: [gfm(), frontmatter(['yaml']), { disable: { null: INLINE_CONSTRUCTS } }],
    mdastExtensions: [
      // What rewrites the tree afterwards is about links in texts.
      ...gfmFromMarkdown().filter((extension) => extension.transforms === undefined),
      frontmatterFromMarkdown(['yaml']),
    ],
  });
}

function blockOf(
  source: string,
  index: LineIndex,
  node: RootContent,
): FoundHeading | Exclude<Block, HeadingBlock> | null {
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
        wholeItem: false,
      });
    } else if (node.type === 'html') {
      found.push({
        type: 'html',
        ...lines,
        value: node.value.replace(/\r\n?/g, '\n'),
        language: null,
        wholeItem: false,
      });
    } else if (node.type === 'paragraph') {
      const wholeItem = isWholeItem(node, parent, container);
      found.push({ type: 'paragraph', ...lines, value: rawText(node), language: null, wholeItem });
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

/** With inline syntax off, a paragraph or heading holds text and line breaks only. */
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

import type { Code, Nodes, Root, RootContent } from 'mdast';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** What remark, as it is published, finds at the top level of a document; the yardstick for our scanners. */
export type Found =
  | { type: 'frontmatter'; first: number; last: number }
  | { type: 'heading'; depth: number; text: string; last: number }
  | { type: 'fence'; first: number; value: string }
  | { type: 'code' | 'html' | 'list' | 'quote' | 'footnote' | 'rule'; first: number };

const parser = unified().use(remarkParse).use(remarkFrontmatter).use(remarkGfm);
/** For a document without frontmatter: remark-frontmatter loses the first list of one that opens with a rule. */
const plainParser = unified().use(remarkParse).use(remarkGfm);

export function remarkBlocks(source: string): Found[] {
  const found: Found[] = [];
  const whole: Root = parser.parse(source);
  const tree: Root = whole.children[0]?.type === 'yaml' ? whole : plainParser.parse(source);
  for (const [at, node] of tree.children.entries()) {
    const block = blockOf(source, node);
    const before = tree.children[at - 1];
    // Indented code that remark finds in pieces.
    if (block?.type === 'code' && before?.type === 'code' && !isFenced(source, before)) continue;
    if (block !== null) found.push(block);
  }
  return found;
}

function blockOf(source: string, node: RootContent): Found | null {
  const first = node.position!.start.line - 1;
  const last = node.position!.end.line - 1;
  switch (node.type) {
    case 'yaml':
      return { type: 'frontmatter', first, last };
    case 'heading':
      return {
        type: 'heading',
        depth: node.depth,
        text: node.depth > 2 ? '' : collapsed(plainText(node)),
        last,
      };
    case 'code':
      return isFenced(source, node)
        ? { type: 'fence', first, value: node.value.replace(/\r\n?/g, '\n') }
        : { type: 'code', first };
    case 'html':
    case 'list':
      return { type: node.type, first };
    case 'blockquote':
      return { type: 'quote', first };
    case 'footnoteDefinition':
      return { type: 'footnote', first };
    case 'thematicBreak':
      return { type: 'rule', first };
    default:
      return null;
  }
}

function isFenced(source: string, node: Code): boolean {
  return '`~'.includes(source[node.position!.start.offset! + (source.startsWith('\ufeff') ? 1 : 0)] ?? ' ');
}

function plainText(node: Nodes): string {
  if (node.type === 'break') return ' ';
  if ('value' in node) return node.value;
  if ('alt' in node) return node.alt ?? '';
  return 'children' in node ? node.children.map(plainText).join('') : '';
}

function collapsed(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

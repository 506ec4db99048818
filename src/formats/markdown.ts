import type { Definition, Nodes, Root } from 'mdast';

/** Whether a text is paragraphs without markup, for which no parser is needed. */
export function isOnlyText(source: string): boolean {
  return !/[\\`*_[\]<>&~|@]|:\/\/|www\.|[ \t]$|^[\s#+=:-]|^\d+[.)]/im.test(source.replace(/\n{2,}/g, '\n'));
}

/** The tree of such a text, as a parser returns it; without places. */
export function textTree(source: string): Root {
  const paragraphs = source
    .split(/\n{2,}/)
    .map((value) => ({ type: 'paragraph' as const, children: [{ type: 'text' as const, value }] }));
  return { type: 'root', children: paragraphs };
}

/** Whether a line has more quote marks than a layout has columns for; parsing it needs seconds. */
export function nestsTooDeep(source: string): boolean {
  return source.split('\n').some((line) => line.split('>').length > MAX_QUOTE_MARKS);
}

const MAX_QUOTE_MARKS = 500;

/** Every link definition by its identifier; the first of a name counts (CommonMark 4.7). */
export function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const visit = (node: Nodes) => {
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node);
    if ('children' in node) node.children.forEach(visit);
  };
  visit(root);
  return found;
}

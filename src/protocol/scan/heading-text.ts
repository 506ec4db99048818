import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { collapseSpace, type FoundBlocks, type FoundHeading } from './blocks.ts';

/**
 * The plain text of a heading by the reference parser. Only the heading itself is parsed again, with the labels that its
 * links and footnotes may refer to, so that nothing else in a document can slow it down.
 */
export function headingText(
  { raw, first, last }: FoundHeading,
  { definitions, footnotes }: FoundBlocks,
): string {
  const labels = [
    ...footnotes.map((label) => `[^${label}]: x\n\n`),
    ...definitions.map((label) => `[${label}]: <>\n\n`),
  ].join('');
  const text = first === last ? null : textOf(`${labels}${AFTER_DEFINITION}${raw}\n===`);
  return text ?? textOf(`${labels}# ${collapseSpace(raw)}`) ?? '';
}

/** After a definition the lines of a setext heading are read as where they stood: the first may be indented like code. */
const AFTER_DEFINITION = '[kairos setext]: <> ""\n';

function textOf(source: string): string | null {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const blocks = tree.children.filter(({ type }) => type !== 'definition' && type !== 'footnoteDefinition');
  const [node] = blocks;
  return blocks.length === 1 && node?.type === 'heading' ? plainText(node) : null;
}

/** Text as a reader sees it: HTML as written, images by their description, a line break as a space. */
function plainText(root: Nodes): string {
  let text = '';
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'break') text += ' ';
    else if ('value' in node) text += node.value;
    else if ('alt' in node) text += node.alt ?? '';
    else if ('children' in node) pending.push(...[...node.children].reverse());
  }
  return collapseSpace(text);
}

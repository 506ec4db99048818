import type { Nodes } from 'mdast';
import { memoize } from '../../base/memoize.ts';
import { collapseSpace, type FoundBlocks, type FoundHeading } from './blocks.ts';
import { parseMarkdown } from './reference.ts';

/**
 * The plain text of a heading. Only the heading itself is parsed, with the labels that its links and footnotes refer to, so
 * that nothing else in the document can slow it down.
 */
export function headingText({ raw, first, last }: FoundHeading, defined: FoundBlocks): string {
  const used = new Set(Array.from(raw.matchAll(BRACKETS), ([, label]) => normalised(label!)));
  const labels = [
    ...defined.footnotes
      .filter((label) => used.has(normalised(`^${label}`)))
      .map((label) => `[^${label}]: x\n\n`),
    ...defined.definitions
      .filter((label) => used.has(normalised(label)))
      .map((label) => `[${label}]: <>\n\n`),
  ].join('');
  const text = first === last ? null : onlyHeading(`${labels}${AFTER_DEFINITION}${raw}\n===`);
  // The closing mark keeps one that belongs to the text.
  return text ?? onlyHeading(`${labels}# ${collapseSpace(raw)} #`) ?? '';
}

/** Labels contain only escaped brackets (CommonMark 6.3). */
const BRACKETS = /\[((?:[^[\]\\]|\\[\s\S])*)\]/g;

/**
 * After a definition the lines of a setext heading are read in their old place: the first may be indented
 * like code.
 */
const AFTER_DEFINITION = '[kairos setext]: <> ""\n';

/** Labels match without regard to case and number of spaces. */
function normalised(label: string): string {
  return collapseSpace(label).toLowerCase().toUpperCase();
}

/** UTF-16 units of the headings that are kept: a document that is edited has mostly the same ones. */
const KEPT = 128 * 1024;

const onlyHeading = memoize((source: string): string | null => {
  const blocks = parseMarkdown(source).children.filter(
    ({ type }) => type !== 'definition' && type !== 'footnoteDefinition',
  );
  const [node] = blocks;
  return blocks.length === 1 && node?.type === 'heading' ? plainText(node) : null;
}, KEPT);

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

import type { Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The reference parser of protocols; import this file only when there is something to draw. */
const processor = unified().use(remarkParse).use(remarkGfm);

/** CommonMark with GFM as a syntax tree. */
export function parseMarkdown(source: string): Root {
  return processor.parse(source);
}

import type { Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The reference parser of protocols. Import this file only to draw something. */
const processor = unified().use(remarkParse).use(remarkGfm);

/** CommonMark with GFM as a syntax tree. */
export function parseGfm(source: string): Root {
  return processor.parse(source);
}

import type { LineIndex } from '../position.ts';
import type { Scan } from './blocks.ts';
import { scanPlain } from './plain.ts';

/**
 * Finds the top-level blocks of a document, the same as remark with GFM and frontmatter would. Throws NestingError when
 * containers are nested too deeply, before anything recursive sees them. Parsers are loaded for documents that need one.
 */
export async function scan(source: string, lines: LineIndex): Promise<Scan> {
  // Whoever looks at a document after another has read it asks about the same text.
  if (last?.source === source) return last.found;
  const found = await scanAnew(source, lines);
  last = { source, found };
  return found;
}

let last: { source: string; found: Scan } | undefined;

async function scanAnew(source: string, lines: LineIndex): Promise<Scan> {
  const plain = scanPlain(source, lines);
  if (plain !== null) return plain;
  const { scanMarkdown } = await import('./markdown.ts');
  return scanMarkdown(source, lines);
}

import { MAX_LABEL } from '../limits.ts';
import type { LineIndex } from '../position.ts';
import { collapseSpace, type FoundBlocks, type FoundHeading, type Scan } from './blocks.ts';
import { scanPlain } from './plain.ts';

/**
 * Finds the top-level blocks of a document as remark with GFM and frontmatter finds them: by the fast path where it can, else by
 * remark itself. Throws NestingError when containers are nested too deeply. remark is loaded only for documents that need it.
 */
export async function scan(source: string, lines: LineIndex): Promise<Scan> {
  // The parser and lint ask for the same text one after the other.
  if (last?.source === source) return last.found;
  const found = await read(source, lines);
  last = { source, found };
  return found;
}

let last: { source: string; found: Scan } | undefined;

async function read(source: string, lines: LineIndex): Promise<Scan> {
  const plain = scanPlain(source, lines);
  if (plain !== null) return resolve(plain);
  const { scanReference } = await import('./reference.ts');
  return resolve(scanReference(source, lines));
}

/** Adds the texts of the headings that contain inline syntax. */
async function resolve(found: FoundBlocks): Promise<Scan> {
  const unsure = found.blocks.filter(
    (block): block is FoundHeading => block.type === 'heading' && block.text === null,
  );
  if (unsure.length > 0) {
    const { headingText } = await import('./reference.ts');
    for (const heading of unsure) {
      heading.text =
        heading.raw.length > MAX_LABEL ? collapseSpace(heading.raw) : headingText(heading, found);
    }
  }
  return { frontmatter: found.frontmatter, blocks: found.blocks as Scan['blocks'] };
}

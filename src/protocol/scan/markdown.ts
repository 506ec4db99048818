import { MAX_LABEL, MAX_NESTING } from '../limits.ts';
import type { LineIndex } from '../position.ts';
import { collapseSpace, type FoundBlocks, type FoundHeading, NestingError, type Scan } from './blocks.ts';
import { scanFast } from './fast.ts';
import { needsReference } from './trust.ts';

/**
 * Finds the top-level blocks of any document, the same as remark with GFM and frontmatter would. Throws NestingError when
 * containers are nested too deeply, before anything recursive sees them.
 */
export async function scanMarkdown(source: string, lines: LineIndex): Promise<Scan> {
  const doubtful = needsReference(source, lines);
  const found = scanFast(doubtful ? squeezed(source) : source, lines, MAX_NESTING);
  return resolve(doubtful || found.doubtful ? await scanDoubtful(source, lines) : found);
}

/** Every character stays where it is; what makes commonmark.js slow is gone. For counting the nesting only. */
function squeezed(source: string): string {
  return source.replace(/(?<=\S)[ \t]{200,}/g, (run) => ` ${'x'.repeat(run.length - 1)}`);
}

async function scanDoubtful(source: string, lines: LineIndex): Promise<FoundBlocks> {
  const deep = lines.starts.findIndex(
    (start, line) => prefixes(source.slice(start, lines.ends[line])) > MAX_NESTING,
  );
  if (deep !== -1) throw new NestingError(deep);
  const { scanReference } = await import('./reference.ts');
  return scanReference(source, lines);
}

/** How many containers, footnotes among them, a line can open or continue. */
function prefixes(line: string): number {
  const token = /[ \t]{1,4}|(>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]]{1,999}\]:)/y;
  let columns = 0;
  let count = 0;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    if (match[1] !== undefined) count += 1;
    else columns += match[0] === '\t' ? 4 : match[0].length;
  }
  return count + Math.floor(columns / 4);
}

/** Finds out, by the reference, the texts of the headings that a scanner was not sure about. */
async function resolve(found: FoundBlocks): Promise<Scan> {
  const unsure = found.blocks.filter(
    (block): block is FoundHeading => block.type === 'heading' && block.text === null,
  );
  if (unsure.length > 0) {
    const { headingText } = await import('./heading-text.ts');
    for (const heading of unsure) {
      heading.text =
        heading.raw.length > MAX_LABEL ? collapseSpace(heading.raw) : headingText(heading, found);
    }
  }
  return { frontmatter: found.frontmatter, blocks: found.blocks as Scan['blocks'] };
}

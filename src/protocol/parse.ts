import { mayBeStepBlock } from './block/demand.ts';
import { readDemand } from './block/read-demand.ts';
import { type Reading, readChain, sectionOf } from './chain.ts';
import { readFrontmatter } from './frontmatter.ts';
import { withLate } from './late.ts';
import type { ParseResult, Problem, ProtocolDocument } from './model.ts';
import { outline } from './outline.ts';
import { type LineIndex, lineIndex, placeBetween } from './position.ts';
import { isNestingError, type Scan } from './scan/blocks.ts';
import { scan } from './scan/scan.ts';
import { checkSource } from './source-text.ts';
import { structureProblems } from './structure-problems.ts';

/**
 * The one door to a protocol document: its content, and every problem in it, in the order of the text. Never
 * throws on a text; a document with a problem of severity `error` must not be stored or run.
 */
export async function parseProtocol(source: string, options: { path?: string } = {}): Promise<ParseResult> {
  const unusable = checkSource(source);
  if (unusable !== null) return { document: emptyDocument(source, options), messages: [unusable] };
  const lines = lineIndex(source);
  const found = await tryScan(source, lines);
  if ('code' in found) return { document: emptyDocument(source, options), messages: [found] };
  return withLate(() => readScan(emptyDocument(source, options), lines, found));
}

function emptyDocument(source: string, { path }: { path?: string }): ProtocolDocument {
  return { path, source, frontmatter: null, chains: [] };
}

async function tryScan(source: string, lines: LineIndex): Promise<Scan | Problem> {
  try {
    return await scan(source, lines);
  } catch (error) {
    if (!isNestingError(error)) throw error;
    const { line } = error;
    const place = placeBetween(lines, lines.starts[line]!, lines.ends[line]!);
    return { code: 'document-too-deep', severity: 'error', place, args: { what: 'blocks' } };
  }
}

/** Fills in a document from its blocks. */
function readScan(document: ProtocolDocument, lines: LineIndex, found: Scan): ParseResult {
  const { source } = document;
  const problems: Problem[] = [];
  if (found.frontmatter !== null) {
    const { node, problems: more } = readFrontmatter(source, lines, found.frontmatter);
    document.frontmatter = node;
    problems.push(...more);
  }
  const parts = outline(found, lines.starts.length - 1);
  problems.push(...structureProblems(source, lines, found, parts));
  const reading: Reading = {
    source,
    lines,
    frontmatter: document.frontmatter,
    mayDemand: FENCE.test(source) || mayBeStepBlock(source),
    mayHaveProofLines: PROOF_LINE.test(source),
    problems,
  };
  problems.push(...readDemand(sectionOf(reading, parts.before, false)).problems);
  for (const part of parts.chains) {
    document.chains.push(readChain(reading, part, parts.chains.length === 1));
  }
  problems.push(...slugProblems(document));
  return { document, messages: problems.sort((a, b) => a.place.start.offset - b.place.start.offset) };
}

/** Without a fence, none can be in the wrong place. */
const FENCE = /```|~~~/;
/** The words that begin a proof line, emphasis not counted. */
const PROOF_LINE = /proof[ \t-]+of[ \t-]+work/i;

function slugProblems({ frontmatter, chains }: ProtocolDocument): Problem[] {
  const problems: Problem[] = [];
  if (chains.length > 1 && frontmatter?.data.slug !== undefined) {
    const args = { slug: String(frontmatter.data.slug), chains: chains.length };
    problems.push({ code: 'slug-with-several-chains', severity: 'error', place: frontmatter.place, args });
  }
  const seen = new Map<string, number>();
  for (const { slug, title, titlePlace } of chains) {
    const line = seen.get(slug);
    if (line !== undefined) {
      problems.push({
        code: 'duplicate-slug',
        severity: 'error',
        place: titlePlace,
        args: { slug, title, line },
      });
    } else seen.set(slug, titlePlace.start.line);
  }
  return problems;
}

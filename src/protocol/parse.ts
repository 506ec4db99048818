import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTimeLimit, type TimeBudget, withinTime } from '../base/json-schema.ts';
import { mayBeStepBlock } from './block/demand.ts';
import { readDemand } from './block/read-demand.ts';
import { readFrontmatter } from './frontmatter.ts';
import { deriveSlug } from './identity.ts';
import { nameProblems } from './inputs.ts';
import { withLazyModules } from './late.ts';
import type {
  ChainNode,
  FrontmatterNode,
  ParseResult,
  Problem,
  ProtocolDocument,
  SectionNode,
  StepNode,
} from './model.ts';
import { bodyText, type ChainPart, type OutlinePart, outline, type Section } from './outline.ts';
import { checkSource, type LineIndex, lineIndex, placeBetween } from './position.ts';
import { type Block, type HeadingBlock, isNestingError, type Scan } from './scan/blocks.ts';
import { scan } from './scan/scan.ts';
import { linesPlace, structureProblems, unknownReferences } from './structure-problems.ts';
import { MAX_STEPS } from './terms.ts';

interface ParseOptions {
  path?: string;
  /** For each part of the work, in milliseconds, where others wait for it. Default: ten seconds for reading, five for checking. */
  limitMs?: number;
}

/**
 * The one door to a protocol document: its content, and every problem in it, in the order of the text. Never
 * throws on a text; a document with a problem of severity `error` must not be stored or run.
 */
export async function parseProtocol(source: string, options: ParseOptions = {}): Promise<ParseResult> {
  const { limitMs } = options;
  const unusable = checkSource(source);
  if (unusable !== null) return { document: emptyDocument(source, options), messages: [unusable] };
  const nothing = (problem: Problem) => ({ document: emptyDocument(source, options), messages: [problem] });
  // A document is read again for its findings: one that exceeded the time is not.
  if (costly?.source === source && costly.limitMs === limitMs) return nothing(costly.problem);
  const lines = lineIndex(source);
  try {
    // Others get their turn before each of the two parts.
    if (limitMs !== undefined) await nextTurn();
    const found = await scan(source, lines, limitMs);
    if (limitMs !== undefined) await nextTurn();
    const read = () => readScan(emptyDocument(source, options), lines, found, limitMs);
    return await withLazyModules(limitMs === undefined ? read : () => withinTime(read, limitMs));
  } catch (error) {
    if (isTimeLimit(error)) {
      const args = { what: 'time', limit: error.limitMs / 1000 };
      const place = placeBetween(lines, 0, 0);
      costly = { source, limitMs, problem: { code: 'document-too-large', severity: 'error', place, args } };
      return nothing(costly.problem);
    }
    if (!isNestingError(error)) throw error;
    const { line } = error;
    const place = placeBetween(lines, lines.starts[line]!, lines.ends[line]!);
    return nothing({ code: 'document-too-deep', severity: 'error', place, args: { what: 'blocks' } });
  }
}

let costly: { source: string; limitMs: number | undefined; problem: Problem } | undefined;

function emptyDocument(source: string, { path }: ParseOptions): ProtocolDocument {
  return { path, source, frontmatter: null, chains: [] };
}

/** For the patterns and schemas of a document, in milliseconds. A schema of ordinary size needs three. */
const CHECKING_LIMIT_MS = 5_000;

/** Fills in a document from its blocks. */
function readScan(
  document: ProtocolDocument,
  lines: LineIndex,
  found: Scan,
  limitMs = CHECKING_LIMIT_MS,
): ParseResult {
  const { source } = document;
  const problems: Problem[] = [];
  if (found.frontmatter !== null) {
    const { node, problems: more } = readFrontmatter(source, lines, found.frontmatter);
    document.frontmatter = node;
    problems.push(...more);
  }
  const parts = outline(found, lines.starts.length - 1);
  const steps = parts.chains.flatMap((chain) => chain.parts);
  const extraStep = steps[MAX_STEPS];
  // Such a document is read no further.
  if (extraStep !== undefined) {
    const args = { what: 'steps', size: steps.length, limit: MAX_STEPS };
    const place = linesPlace(source, lines, extraStep.heading);
    return { document, messages: [{ code: 'document-too-large', severity: 'error', place, args }] };
  }
  problems.push(...structureProblems(source, lines, found, parts));
  const reading: DocumentReading = {
    source,
    lines,
    frontmatter: document.frontmatter,
    mayDemand: FENCE.test(source) || mayBeStepBlock(source),
    mayHaveProofLines: PROOF_LINE.test(source),
    budget: { limitMs, spentMs: 0 },
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

/** A document while it is read. */
interface DocumentReading {
  source: string;
  lines: LineIndex;
  frontmatter: FrontmatterNode | null;
  mayDemand: boolean;
  mayHaveProofLines: boolean;
  budget: TimeBudget;
  problems: Problem[];
}

const METADATA: ReadonlyMap<string, 'triggers' | 'completionRule'> = new Map([
  ['natural language triggers', 'triggers'],
  ['completion rule', 'completionRule'],
]);

/** Reads an H1 and what is under it. `isOnly`: a slug in the frontmatter can name one chain only. */
function readChain(reading: DocumentReading, part: ChainPart, isOnly: boolean): ChainNode {
  const { source, lines, frontmatter, problems } = reading;
  const { heading, last, parts } = part;
  const slug = isOnly ? frontmatter?.slug : undefined;
  const chain: ChainNode = {
    title: heading.text,
    titlePlace: linesPlace(source, lines, heading),
    slug: slug ?? deriveSlug(heading.text),
    slugSource: slug === undefined ? 'title' : 'frontmatter',
    version: frontmatter?.version,
    tags: [...(frontmatter?.tags ?? [])],
    inputs: frontmatter?.inputs ?? {},
    holds: frontmatter?.holds ?? [],
    description: readProse(reading, heading, part.blocks, (parts[0]?.heading.first ?? last + 1) - 1),
    triggers: null,
    completionRule: null,
    steps: [],
    place: linesPlace(source, lines, { first: heading.first, last }),
  };
  for (const section of parts) {
    const role = METADATA.get(section.heading.text.toLowerCase());
    if (role === undefined) chain.steps.push(readStep(reading, section, chain.steps.length + 1));
    else {
      const node = readMetadata(reading, section);
      if (chain[role] === null) chain[role] = node;
      else {
        const place = linesPlace(source, lines, section.heading);
        const args = { label: section.heading.text, line: chain[role].place.start.line };
        problems.push({ code: 'duplicate-section', severity: 'error', place, args });
      }
    }
  }
  problems.push(...nameProblems(reading, chain));
  if (reading.source.includes('{{')) problems.push(...unknownReferences(reading, chain));
  if (chain.steps.length === 0) {
    problems.push({
      code: 'no-steps',
      severity: 'error',
      place: chain.titlePlace,
      args: { title: chain.title },
    });
  }
  return chain;
}

function readStep(reading: DocumentReading, part: OutlinePart, index: number): StepNode {
  const { source, lines, problems } = reading;
  const { heading, last, blocks } = part;
  const demand = readDemand(sectionOf(reading, blocks, true));
  problems.push(...demand.problems);
  return {
    index,
    label: heading.text,
    labelPlace: linesPlace(source, lines, heading),
    body: bodyText(source, lines, { first: heading.last + 1, last }, demand.cut),
    block: demand.block,
    place: linesPlace(source, lines, { first: heading.first, last }),
  };
}

function readMetadata(reading: DocumentReading, part: OutlinePart): SectionNode {
  const { source, lines } = reading;
  const { heading, last, blocks } = part;
  return {
    label: heading.text,
    markdown: readProse(reading, heading, blocks, last),
    place: linesPlace(source, lines, { first: heading.first, last }),
  };
}

/** Text under a heading where no demand is made. */
function readProse(
  reading: DocumentReading,
  heading: HeadingBlock,
  blocks: readonly Block[],
  last: number,
): string {
  const { source, lines, problems } = reading;
  problems.push(...readDemand(sectionOf(reading, blocks, false)).problems);
  return bodyText(source, lines, { first: heading.last + 1, last }, null);
}

/** Written out, since spreading a reading makes objects that the engine is slow to look into. */
function sectionOf(reading: DocumentReading, blocks: readonly Block[], isStep: boolean): Section {
  const { source, lines, mayDemand, mayHaveProofLines, budget } = reading;
  return { source, lines, blocks, isStep, mayDemand, mayHaveProofLines, budget };
}

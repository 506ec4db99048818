import { readDemand } from './block/read-demand.ts';
import type { Section } from './block/section.ts';
import { bodyText } from './body.ts';
import { deriveSlug } from './identity.ts';
import type { ChainNode, FrontmatterNode, Problem, SectionNode, StepNode } from './model.ts';
import type { ChainPart, Part } from './outline.ts';
import type { LineIndex } from './position.ts';
import { nameProblems } from './references.ts';
import type { Block, HeadingBlock } from './scan/blocks.ts';
import { linesPlace } from './structure-problems.ts';

/** A document while it is read. */
export interface Reading {
  source: string;
  lines: LineIndex;
  frontmatter: FrontmatterNode | null;
  mayDemand: boolean;
  mayHaveProofLines: boolean;
  problems: Problem[];
}

const METADATA: ReadonlyMap<string, 'triggers' | 'completionRule'> = new Map([
  ['natural language triggers', 'triggers'],
  ['completion rule', 'completionRule'],
]);

/** Reads an H1 and what is under it. `isOnly`: a slug in the frontmatter can name one chain only. */
export function readChain(reading: Reading, part: ChainPart, isOnly: boolean): ChainNode {
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

function readStep(reading: Reading, part: Part, index: number): StepNode {
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

function readMetadata(reading: Reading, part: Part): SectionNode {
  const { source, lines } = reading;
  const { heading, last, blocks } = part;
  return {
    label: heading.text,
    markdown: readProse(reading, heading, blocks, last),
    place: linesPlace(source, lines, { first: heading.first, last }),
  };
}

/** Text under a heading where no demand is made. */
function readProse(reading: Reading, heading: HeadingBlock, blocks: readonly Block[], last: number): string {
  const { source, lines, problems } = reading;
  problems.push(...readDemand(sectionOf(reading, blocks, false)).problems);
  return bodyText(source, lines, { first: heading.last + 1, last }, null);
}

/** Written out, since spreading a reading makes objects that the engine is slow to look into. */
export function sectionOf(reading: Reading, blocks: readonly Block[], isStep: boolean): Section {
  const { source, lines, mayDemand, mayHaveProofLines } = reading;
  return { source, lines, blocks, isStep, mayDemand, mayHaveProofLines };
}

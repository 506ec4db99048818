import { readProofLine, wordsAsText } from '../legacy/proof-line.ts';
import { type FoundLine, findProofLines, placedInner, placedLines } from '../legacy/proof-lines.ts';
import type { BlockNode, Place, Problem } from '../model.ts';
import type { Cut, Section } from '../outline.ts';
import { placeBetween } from '../position.ts';
import type { Block } from '../scan/blocks.ts';
import { type Fence, readFence } from './fence.ts';
import {
  fenceInFence,
  misplacedInContainer,
  misplacedInHeading,
  misplacedInHtml,
  misplacedInIndented,
  misplacedInParagraph,
} from './mislaid.ts';
import { type FenceReading, recognise } from './recognise.ts';
import { validateBlock } from './validate.ts';
import { locateOnLine } from './value.ts';

export interface SectionDemand {
  block: BlockNode | null;
  /** The lines that state it, to be cut from the body. */
  cut: Cut | null;
  problems: Problem[];
}

/** Finds what a section demands, and everything in it that seems to demand something and cannot be heard. */
export function readDemand(section: Section): SectionDemand {
  const problems: Problem[] = [];
  const fences = readFences(section, problems);
  if (section.mayDemand) problems.push(...section.blocks.flatMap((block) => mislaid(section, block)));
  const proofLines = section.mayHaveProofLines ? findProofLines(section) : [];
  if (!section.isStep) return outsideStep(fences, proofLines, problems);
  const found = chooseFence(fences, problems);
  if (proofLines.length === 0) return found;
  return chooseProofLine(found, fences, proofLines);
}

interface FoundFence {
  fence: Fence;
  reading: FenceReading;
}

function readFences({ source, lines, blocks }: Section, problems: Problem[]): FoundFence[] {
  const place = (start: number, end: number): Place => placeBetween(lines, start, end);
  const found: FoundFence[] = [];
  for (const block of blocks) {
    if (block.type !== 'code' || !block.fenced) continue;
    const fence = readFence(source, lines, block);
    const reading = recognise(fence, place);
    if (reading.kind === 'broken') problems.push(...reading.problems);
    problems.push(...fenceInFence(fence, place));
    found.push({ fence, reading });
  }
  return found;
}

function mislaid({ source, lines }: Section, block: Block): Problem[] {
  switch (block.type) {
    case 'list':
    case 'quote':
    case 'footnote':
      return misplacedInContainer(block, (inner) => placedInner(source, lines, inner));
    case 'html':
      return misplacedInHtml(placedLines(source, lines, block));
    case 'paragraph':
      return misplacedInParagraph(placedLines(source, lines, block));
    case 'code':
      return block.fenced ? [] : misplacedInIndented(placedLines(source, lines, block), 'indented');
    case 'heading':
      return misplacedInHeading(placedLines(source, lines, block), block.first < block.last);
    default:
      return [];
  }
}

function outsideStep(fences: FoundFence[], proofLines: FoundLine[], problems: Problem[]): SectionDemand {
  for (const { fence, reading } of fences) {
    if (reading.kind === 'demand') problems.push(error('block-outside-step', fence.place));
  }
  for (const { place } of proofLines) problems.push(error('block-outside-step', place, { line: true }));
  return { block: null, cut: null, problems };
}

/** The last fenced block is the step block; demands before it are one too many, and before other code misplaced. */
function chooseFence(fences: FoundFence[], problems: Problem[]): SectionDemand {
  const demands = fences.filter(({ reading }) => reading.kind !== 'content');
  const last = demands.at(-1);
  if (last === undefined) return { block: null, cut: null, problems };
  const after = fences.at(-1) === last ? undefined : fences.at(-1)!.fence;
  for (const { fence, reading } of demands) {
    if (reading.kind !== 'demand') continue;
    if (fence !== last.fence) {
      problems.push(error('block-duplicate', fence.place, { line: last.fence.place.start.line }));
    } else if (after !== undefined) {
      problems.push(
        error('block-not-last', fence.place, { line: after.place.start.line, language: after.language }),
      );
    }
  }
  if (last.reading.kind !== 'demand') return { block: null, cut: null, problems };
  const { fence, reading } = last;
  const { block, problems: more } = validateBlock(reading.raw, reading.loadLocator);
  problems.push(...reading.problems, ...more);
  const isSound = demands.length === 1 && after === undefined && reading.problems.length === 0;
  if (block === null || !isSound) return { block: null, cut: null, problems };
  return {
    cut: { first: fence.first, last: fence.last, kept: '' },
    problems,
    block: {
      value: block,
      raw: reading.raw,
      format: reading.format,
      spelling:
        'proof_of_work' in reading.raw || !('challenge' in reading.raw) ? 'proof_of_work' : 'challenge',
      place: fence.place,
      valuePlace: fence.valuePlace,
    },
  };
}

/** A proof line makes the demand of its step when nothing else does. */
function chooseProofLine(found: SectionDemand, fences: FoundFence[], proofLines: FoundLine[]): SectionDemand {
  const { problems } = found;
  const last = proofLines.at(-1)!;
  const demand = fences.find(({ reading }) => reading.kind !== 'content')?.fence;
  const rival = demand?.place.start.line ?? last.place.start.line;
  for (const { place } of proofLines) {
    if (demand !== undefined || place !== last.place) {
      problems.push(error('block-duplicate', place, { line: rival, isLine: true }));
    }
  }
  const reading = last.goesOn ? { fault: 'line-continued' } : readProofLine(last.line.command);
  if ('fault' in reading) {
    problems.push(error('block-invalid', last.place, { issue: reading.fault, path: '' }));
    return { block: null, cut: null, problems };
  }
  const { block, problems: more } = validateBlock(reading.demand, () => locateOnLine(last.place));
  const { ignored, isDoubtful } = reading;
  problems.push(...more, {
    code: 'legacy-proof-line',
    severity: 'warning',
    place: last.place,
    args: { type: block?.proof_of_work?.type, ignored, doubtful: isDoubtful || undefined },
  });
  if (block === null || demand !== undefined || proofLines.length > 1)
    return { block: null, cut: null, problems };
  return {
    cut: { first: last.first, last: last.last, kept: wordsAsText(ignored ?? '') },
    problems,
    block: {
      value: block,
      raw: reading.demand,
      format: 'line',
      spelling: 'proof_line',
      place: last.place,
      valuePlace: last.commandPlace,
    },
  };
}

function error(code: Problem['code'], place: Place, args: Problem['args'] = {}): Problem {
  return { code, severity: 'error', place, args };
}

import { isObject } from '../../base/json.ts';
import { spend, type TimeBudget } from '../../base/json-schema.ts';
import { lazy } from '../late.ts';
import { modernise } from '../legacy/modernise.ts';
import { readProofLine, wordsAsText } from '../legacy/proof-line.ts';
import { type FoundLine, findProofLines, placedInner, placedLines } from '../legacy/proof-lines.ts';
import type { BlockNode, Place, Problem } from '../model.ts';
import type { Cut, Section } from '../outline.ts';
import { placeBetween } from '../position.ts';
import type { Block } from '../scan/blocks.ts';
import type { StepBlock } from '../schema.ts';
import { BLOCK_SHAPE } from './block-shape.ts';
import { type Fence, readFence } from './fence.ts';
import {
  fenceInFence,
  misplacedInContainer,
  misplacedInHeading,
  misplacedInHtml,
  misplacedInIndented,
  misplacedInParagraph,
} from './misplaced.ts';
import { type FenceReading, recognise } from './recognise.ts';
import { readShape } from './shape.ts';
import { dotted, faultyValues, type Locator, locateOnLine, type Path, valueAt } from './value.ts';

interface SectionDemand {
  block: BlockNode | null;
  /** The lines that state it, to be cut from the body. */
  cut: Cut | null;
  problems: Problem[];
}

/** Finds the demand of a section, and everything in it that looks like a demand and can't be read. */
export function readDemand(section: Section): SectionDemand {
  const problems: Problem[] = [];
  const fences = readFences(section, problems);
  if (section.mayDemand) problems.push(...section.blocks.flatMap((block) => misplaced(section, block)));
  const proofLines = section.mayHaveProofLines ? findProofLines(section) : [];
  if (!section.isStep) return outsideStep(fences, proofLines, problems);
  const found = chooseFence(fences, problems, section);
  if (proofLines.length === 0) return found;
  return chooseProofLine(found, fences, proofLines, section);
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

function misplaced({ source, lines }: Section, block: Block): Problem[] {
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
function chooseFence(fences: FoundFence[], problems: Problem[], { budget }: Section): SectionDemand {
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
  const { block, problems: more } = validateBlock(reading.raw, reading.loadLocator, budget);
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
function chooseProofLine(
  found: SectionDemand,
  fences: FoundFence[],
  proofLines: FoundLine[],
  { budget }: Section,
): SectionDemand {
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
  const { block, problems: more } = validateBlock(reading.demand, () => locateOnLine(last.place), budget);
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

interface ValidatedBlock {
  /** In today's spelling with defaults filled in; null when there is any error. */
  block: StepBlock | null;
  problems: Problem[];
}

/** Checks a step block as written, whole: every problem is reported, each at the place that is at fault. */
function validateBlock(
  raw: Record<string, unknown>,
  loadLocator: () => Locator,
  budget: TimeBudget,
): ValidatedBlock {
  const problems: Problem[] = [];
  const faulty = faultyValues(raw);
  if (faulty.length > 0) {
    const locate = loadLocator();
    return { block: null, problems: faulty.map(({ fault, path }) => faultProblem(fault, path, locate)) };
  }
  const modern = modernise(raw);
  if (modern.legacy.length > 0) {
    const locate = loadLocator();
    for (const { code, path, args } of modern.legacy) {
      const place = code === 'legacy-missing-type' ? locate.value(path) : locate.key(path);
      problems.push({ code, severity: 'warning', place, args });
    }
  }
  const block = readShape(BLOCK_SHAPE, modern.value) as StepBlock | undefined;
  if (block === undefined) {
    // The schema itself, which is large, is loaded only to explain a fault.
    const { schemaProblems } = lazy('schema');
    problems.push(...schemaProblems(modern, loadLocator()));
  }
  for (const { pattern, path, reason } of badPatterns(modern.value, budget)) {
    const place = loadLocator().value(modern.original(path));
    const args = { pattern, reason, path: dotted(modern.original(path)) };
    problems.push({ code: 'block-bad-pattern', severity: 'error', place, args });
  }
  for (const { path, reason } of badSchemas(modern.value, budget)) {
    const place = loadLocator().value(modern.original(path));
    const args = { issue: 'schema', path: dotted(modern.original(path)), found: reason };
    problems.push({ code: 'block-invalid', severity: 'error', place, args });
  }
  const isSound = problems.every(({ severity }) => severity !== 'error');
  return { block: isSound && block !== undefined ? block : null, problems };
}

function faultProblem(fault: string, path: Path, locate: Locator): Problem {
  const place = fault === 'proto' ? locate.key(path) : locate.value(path);
  return { code: 'block-invalid', severity: 'error', place, args: { issue: fault, path: dotted(path) } };
}

/** Every pattern of a block that RE2 rejects. */
function badPatterns(block: unknown, budget: TimeBudget): { pattern: string; path: Path; reason: string }[] {
  const bad: { pattern: string; path: Path; reason: string }[] = [];
  for (const path of patternPaths(block)) {
    const pattern = valueAt(block, path);
    if (typeof pattern !== 'string' || pattern === '') continue;
    const reason = spend(budget, () => lazy('patterns').problem(pattern));
    if (reason !== null) bad.push({ pattern, path, reason });
  }
  return bad;
}

function patternPaths(block: unknown): Path[] {
  return [
    ...PATTERNS,
    ...eachOf(block, OUTPUTS).map((path) => [...path, 'matches']),
    ...eachOf(block, CAPTURES).map((path) => [...path, 'pattern']),
    ...eachOf(block, PRECONDITIONS)
      .filter((path) => valueAt(block, [...path, 'operator']) === 'matches')
      .map((path) => [...path, 'value']),
  ];
}

/** Every JSON Schema of a block that could not be used when its turn comes. */
function badSchemas(block: unknown, budget: TimeBudget): { path: Path; reason: string }[] {
  const paths = [...SCHEMAS, ...eachOf(block, OUTPUTS).map((path) => [...path, 'schema'])];
  return paths.flatMap((path) => {
    const schema = valueAt(block, path);
    if (!isObject(schema)) return [];
    const reason = spend(budget, () => lazy('jsonSchemas').problem(schema));
    return reason === null ? [] : [{ path, reason }];
  });
}

const OUTPUTS: Path = ['outputs'];
const CAPTURES: Path = ['captures'];
const PRECONDITIONS: Path = ['proposal', 'preconditions'];
const PATTERNS: readonly Path[] = [
  ['proof_of_work', 'shell', 'stdout_matches'],
  ['proof_of_work', 'user_input', 'pattern'],
];
const SCHEMAS: readonly Path[] = [
  ['proof_of_work', 'mcp', 'result_schema'],
  ['sampling', 'output_schema'],
  ['proposal', 'parameters_schema'],
];

/** Paths to the items of a list; none where there is no list. */
function eachOf(block: unknown, path: Path): Path[] {
  const list = valueAt(block, path);
  return Array.isArray(list) ? list.map((_, at): Path => [...path, at]) : [];
}

import { isObject } from '../../base/json.ts';
import { lazy } from '../late.ts';
import { modernise } from '../legacy/modernise.ts';
import type { Problem } from '../model.ts';
import type { StepBlock } from '../schema.ts';
import { BLOCK_SHAPE } from './block-shape.ts';
import { readShape } from './shape.ts';
import { dotted, faultyValues, type Locator, type Path, valueAt } from './value.ts';

export interface ValidatedBlock {
  /** In today's spelling with defaults filled in; null when there is any error. */
  block: StepBlock | null;
  problems: Problem[];
}

/** Checks a step block as written, whole: every problem is reported, each at the place that is at fault. */
export function validateBlock(raw: Record<string, unknown>, loadLocator: () => Locator): ValidatedBlock {
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
  for (const { pattern, path, reason } of badPatterns(modern.value)) {
    const place = loadLocator().value(modern.original(path));
    const args = { pattern, reason, path: dotted(modern.original(path)) };
    problems.push({ code: 'block-bad-pattern', severity: 'error', place, args });
  }
  for (const { path, reason } of badSchemas(modern.value)) {
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
function badPatterns(block: unknown): { pattern: string; path: Path; reason: string }[] {
  const bad: { pattern: string; path: Path; reason: string }[] = [];
  for (const path of patternPaths(block)) {
    const pattern = valueAt(block, path);
    if (typeof pattern !== 'string' || pattern === '') continue;
    const reason = lazy('patterns').problem(pattern);
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
function badSchemas(block: unknown): { path: Path; reason: string }[] {
  const paths = [...SCHEMAS, ...eachOf(block, OUTPUTS).map((path) => [...path, 'schema'])];
  return paths.flatMap((path) => {
    const schema = valueAt(block, path);
    const reason = isObject(schema) ? lazy('jsonSchemas').problem(schema) : null;
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

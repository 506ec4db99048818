import { late } from '../late.ts';
import type { Problem } from '../model.ts';
import type { StepBlock } from '../schema.ts';
import { BLOCK_SHAPE } from './block-shape.ts';
import { faultyValues } from './check-value.ts';
import { modernise } from './modernise.ts';
import { readShape } from './shape.ts';
import { dotted, type Locator, type Path, valueAt } from './value.ts';

export interface Validated {
  /** In today's spelling with defaults filled in; null when there is any error. */
  block: StepBlock | null;
  problems: Problem[];
}

/** Checks a step block as written, whole: every problem is reported, each at the place that is at fault. */
export function validateBlock(raw: Record<string, unknown>, loadLocator: () => Locator): Validated {
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
    // The schema itself, which is large, is only loaded to say what is wrong.
    const { schemaProblems } = late('schema');
    problems.push(...schemaProblems(modern, loadLocator()));
  }
  for (const { pattern, path, reason } of badPatterns(modern.value)) {
    const place = loadLocator().value(modern.original(path));
    const args = { pattern, reason, path: dotted(modern.original(path)) };
    problems.push({ code: 'block-bad-pattern', severity: 'error', place, args });
  }
  const isSound = problems.every(({ severity }) => severity !== 'error');
  return { block: isSound && block !== undefined ? block : null, problems };
}

function faultProblem(fault: string, path: Path, locate: Locator): Problem {
  const place = fault === 'proto' ? locate.key(path) : locate.value(path);
  return { code: 'block-invalid', severity: 'error', place, args: { issue: fault, path: dotted(path) } };
}

/** Every pattern of a block that RE2 does not take. */
function badPatterns(block: unknown): { pattern: string; path: Path; reason: string }[] {
  const outputs = valueAt(block, ['outputs']);
  const paths: Path[] = [
    ['proof_of_work', 'shell', 'stdout_matches'],
    ['proof_of_work', 'user_input', 'pattern'],
    ...(Array.isArray(outputs) ? outputs.map((_, at): Path => ['outputs', at, 'matches']) : []),
  ];
  const bad: { pattern: string; path: Path; reason: string }[] = [];
  for (const path of paths) {
    const pattern = valueAt(block, path);
    if (typeof pattern !== 'string' || pattern === '') continue;
    const reason = late('patterns').problem(pattern);
    if (reason !== null) bad.push({ pattern, path, reason });
  }
  return bad;
}

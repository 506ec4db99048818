import type { OutputCheck } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const outputContradiction: LintRule = {
  id: 'output-contradiction',
  family: 'block',
  severity: 'error',
  summary: 'The demands on a file can all be true.',
  why: "A file that must not exist has no content to check, and a file can't have two digests. Such a step refuses every solution.",
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      for (const [at, output] of (block?.value.outputs ?? []).entries()) {
        const key = output.exists === false ? CONTENT.find((name) => output[name] !== undefined) : undefined;
        if (block === null || key === undefined) continue;
        context.report({
          place: nearestPlace(context, block, ['outputs', at, 'exists']),
          reason: `${output.path} must not exist and must satisfy "${key}", which cannot both be true. Remove one of them.`,
        });
      }
    }
  },
};

const CONTENT: (keyof OutputCheck)[] = ['sha256', 'matches', 'equals', 'schema', 'json_pointer'];

import type { LintRule } from '../rule.ts';
import { evidenceRefs, nearestPlace, stepNumber } from './support/written.ts';

export const evidenceRefLater: LintRule = {
  id: 'evidence-ref-later',
  family: 'reference',
  severity: 'error',
  summary: 'Evidence comes from a step before the one that needs it.',
  why: 'The gate decides before the gated step is done. The proof of that step or a later one does not exist then, so the proposal is always denied.',
  about: 'proposals',
  check(context) {
    for (const { ref, step, steps, block, path } of evidenceRefs(context)) {
      const number = stepNumber(ref);
      if (number === null || number < step.index || number > steps.length) continue;
      context.report({
        place: nearestPlace(context, block, path),
        reason: `${JSON.stringify(ref)} is proven only after this step, step ${step.index}, has been decided. Name a step before it, or move that step.`,
      });
    }
  },
};

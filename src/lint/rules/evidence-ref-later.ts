import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { evidenceRefs, stepNumber } from './support/templates.ts';
import { nearestPlace } from './support/written.ts';

const precondition = (evidence_ref: string) => ({
  field: 'exit_code',
  operator: 'eq',
  value: 0,
  evidence_ref,
});

/** References to evidence that does not exist yet. */
export const evidenceRefLater: LintRule = {
  id: 'evidence-ref-later',
  family: 'reference',
  severity: 'error',
  summary: 'Evidence comes from a step before the one that needs it.',
  why: 'The gate decides before the gated step is done. The proof of that step or a later one does not exist then, so the proposal is always denied.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'The gated step as its own evidence',
        source: gatedExample({ preconditions: [precondition('step:3')] }),
        findings: [
          {
            line: 24,
            column: 195,
            reason:
              '"step:3" is proven only after this step, step 3, has been decided. Name a step before it, or move that step.',
          },
        ],
      },
      {
        title: 'A step before',
        source: gatedExample({ preconditions: [precondition('step:1')] }),
        findings: [],
      },
    ];
  },
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

import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const evidenceIdDuplicate: LintRule = {
  id: 'evidence-id-duplicate',
  family: 'reference',
  severity: 'error',
  summary: 'Each name of evidence is bound once.',
  why: 'The gate does not choose between two bindings of one name: it denies. So every precondition that uses the name fails.',
  check(context) {
    for (const { step } of context.steps) {
      const { block } = step;
      const bindings = block?.value.proposal?.evidence_bindings ?? [];
      for (const [at, { evidence_id }] of bindings.entries()) {
        const first = bindings.findIndex((binding) => binding.evidence_id === evidence_id);
        if (block === null || first === at) continue;
        context.report({
          place: nearestPlace(context, block, ['proposal', 'evidence_bindings', at, 'evidence_id']),
          reason: `The evidence_id ${JSON.stringify(evidence_id)} is bound twice, and the gate would deny what uses it. Rename one of them.`,
        });
      }
    }
  },
};

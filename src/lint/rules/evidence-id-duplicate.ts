import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { nearestPlace } from './support/written.ts';

const bindings = (...ids: string[]) => ({
  evidence_bindings: ids.map((evidence_id, at) => ({ evidence_id, ref: `step:${at + 1}` })),
});

/** Names of evidence that are bound twice. */
export const evidenceIdDuplicate: LintRule = {
  id: 'evidence-id-duplicate',
  family: 'reference',
  severity: 'error',
  summary: 'Each name of evidence is bound once.',
  why: 'The gate does not choose between two bindings of one name: it denies. So every precondition that uses the name fails.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'One name for two steps',
        source: gatedExample(bindings('tests', 'tests')),
        findings: [
          {
            line: 24,
            column: 316,
            reason:
              'The evidence_id "tests" is bound twice, and the gate would deny what uses it. Rename one of them.',
          },
        ],
      },
      { title: 'Two names', source: gatedExample(bindings('tests', 'answer')), findings: [] },
    ];
  },
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

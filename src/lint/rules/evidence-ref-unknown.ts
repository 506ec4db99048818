import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { type EvidenceRef, evidenceRefs, stepNumber } from './support/templates.ts';
import { nearestPlace } from './support/written.ts';

const precondition = (evidence_ref: string) => ({
  field: 'exit_code',
  operator: 'eq',
  value: 0,
  evidence_ref,
});

/** References to unknown evidence. */
export const evidenceRefUnknown: LintRule = {
  id: 'evidence-ref-unknown',
  family: 'reference',
  severity: 'error',
  summary: 'A reference to evidence leads to a step of the chain.',
  why: 'The gate looks the evidence up in the proofs of the run. It denies what it cannot find, so the gated step could never be passed; and if the agent or user chooses the proof, they can choose one that suits them.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'A step that does not exist',
        source: gatedExample({ preconditions: [precondition('step:7')] }),
        findings: [
          {
            line: 24,
            column: 195,
            reason:
              '"step:7" leads to no step: the chain has 3. Write step: and the number of the step that proves it.',
          },
        ],
      },
      {
        title: 'A name that is bound to nothing, and a hash of another run',
        source: gatedExample({
          preconditions: [precondition('tests')],
          evidence_bindings: [{ evidence_id: 'test-run', ref: 'ab'.repeat(32) }],
        }),
        findings: [
          {
            line: 24,
            column: 195,
            reason:
              '"tests" is neither step: and a number nor an evidence_id of the bindings. Bind it to a step in evidence_bindings, or name the step.',
          },
          {
            line: 24,
            column: 291,
            reason:
              'The hash of a proof is known only within its run, so it cannot be in a template. Write step: and the number of the step that proves it.',
          },
        ],
      },
      {
        title: 'A step before, by number and by a bound name',
        source: gatedExample({
          preconditions: [precondition('step:1'), precondition('tests')],
          evidence_bindings: [{ evidence_id: 'tests', ref: 'step:1' }],
        }),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const found of evidenceRefs(context)) {
      const reason = fault(found);
      if (reason === null) continue;
      context.report({ place: nearestPlace(context, found.block, found.path), reason });
    }
  },
};

function fault({ ref, steps, template, isBinding }: EvidenceRef): string | null {
  const number = stepNumber(ref);
  const name = JSON.stringify(ref);
  if (number !== null) {
    return number <= steps.length
      ? null
      : `${name} leads to no step: the chain has ${steps.length}. Write step: and the number of the step that proves it.`;
  }
  if (/^[0-9a-f]{64}$/.test(ref))
    return 'The hash of a proof is known only within its run, so it cannot be in a template. Write step: and the number of the step that proves it.';
  const isBound = template.evidence_bindings?.some(({ evidence_id }) => evidence_id === ref) === true;
  if (isBinding) return `${name} is not a step. Write step: and the number of the step that proves it.`;
  return isBound
    ? null
    : `${name} is neither step: and a number nor an evidence_id of the bindings. Bind it to a step in evidence_bindings, or name the step.`;
}

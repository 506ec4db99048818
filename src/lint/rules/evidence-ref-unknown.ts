import type { LintRule } from '../rule.ts';
import { type EvidenceRef, evidenceRefs, nearestPlace, stepNumber } from './support/written.ts';

export const evidenceRefUnknown: LintRule = {
  id: 'evidence-ref-unknown',
  family: 'reference',
  severity: 'error',
  summary: 'A reference to evidence leads to a step of the chain.',
  why: 'The gate looks the evidence up in the proofs of the run. It denies what it cannot find, so the gated step could never be passed; and if the agent or user could choose the proof, they could choose a convenient one.',
  about: 'proposals',
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

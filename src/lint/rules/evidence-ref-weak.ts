import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { evidenceRefs, nearestPlace, stepNumber } from './support/written.ts';

export const evidenceRefWeak: LintRule = {
  id: 'evidence-ref-weak',
  family: 'reference',
  severity: 'warning',
  summary: 'Evidence is something that was observed, or that a person has answered.',
  why: 'Unless a policy allows more, the gate accepts only what kairos has observed, and answers of people. A comment is neither, a step that needs nothing proves nothing, and an optional proof may have failed.',
  about: 'proposals',
  check(context) {
    for (const { ref, step: node, steps, block, path } of evidenceRefs(context)) {
      const number = stepNumber(ref);
      const target = number === null || number >= node.index ? undefined : steps[number - 1];
      const weakness = target === undefined ? null : weaknessOf(target);
      if (weakness === null) continue;
      context.report({
        place: nearestPlace(context, block, path),
        reason: `${JSON.stringify(ref)} leads to ${weakness}`,
      });
    }
  },
};

function weaknessOf({ index, block }: StepNode): string | null {
  if (block === null && index === 1)
    return 'a step that proves nothing. Give it a proof, or name another step.';
  const proof = block?.value.proof_of_work;
  if (proof?.required === false)
    return 'an optional proof, and a failed one is not evidence. Make it required.';
  if (proof !== undefined && proof.type !== 'comment') return null;
  const what = block?.value.sampling === undefined ? 'a comment' : 'the answer of a model';
  return `${what}, which is not evidence unless a policy allows it. Let a command, a tool or a person answer in that step.`;
}

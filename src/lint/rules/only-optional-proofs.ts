import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const onlyOptionalProofs: LintRule = {
  id: 'only-optional-proofs',
  family: 'proof',
  severity: 'warning',
  summary: 'A chain has at least one required proof.',
  why: 'A proof with "required": false may fail, and the run continues to success. If all proofs of a chain are optional, all of them can fail in a run that ends well.',
  check(context) {
    for (const { title, steps } of context.document.chains) {
      const [first, ...others] = steps.filter(({ block }) => block !== null);
      if (first?.block == null || ![first, ...others].every(isOptional)) continue;
      context.report({
        place: nearestPlace(context, first.block, ['proof_of_work', 'required']),
        reason: `Every proof of ${JSON.stringify(title)} is optional, so a run in which all of them fail still succeeds. Make those required that the work depends on.`,
      });
    }
  },
};

function isOptional({ block }: StepNode): boolean {
  return block?.value.proof_of_work?.required === false;
}

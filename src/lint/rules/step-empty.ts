import type { BlockNode, StepNode } from '../../protocol/model.ts';
import { hasProblem, type LintRule } from '../rule.ts';

export const stepEmpty: LintRule = {
  id: 'step-empty',
  family: 'document',
  severity: 'warning',
  summary: 'A step, or its proof, describes what to do.',
  why: 'A run shows one step at a time: its title, its text and its challenge. With only a title, every reader guesses what to do, and the required comment proves little.',
  check(context) {
    for (const { step: node } of context.steps) {
      if (!isEmpty(node) || hasProblem(context, node.place)) continue;
      context.report({
        place: node.labelPlace,
        reason: `Step ${node.index}, ${JSON.stringify(node.label)}, has a title and no text. Describe what to do, and how to see that it is done.`,
      });
    }
  },
};

function isEmpty({ body, block }: StepNode): boolean {
  if (block !== null && !isSilent(block)) return false;
  return body === '' || body.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim() === '';
}

/** Whether a block contains no information about the work. */
function isSilent({ value: { proof_of_work: proof, outputs, sampling, proposal } }: BlockNode): boolean {
  const isComment = proof === undefined || proof.type === 'comment';
  return isComment && outputs === undefined && sampling === undefined && proposal === undefined;
}

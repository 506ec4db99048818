import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const approvalAfterCommand: LintRule = {
  id: 'approval-after-command',
  family: 'proof',
  severity: 'warning',
  summary: 'A question for permission comes before the command that it is about.',
  why: 'The steps of a run are done in order. A person who refuses after the last command stops nothing, because everything has been done already.',
  check(context) {
    for (const { steps } of context.document.chains) {
      const last = steps.findLastIndex(acts);
      if (last === -1) continue;
      for (const { block } of steps.slice(last + 1)) {
        const proof = block?.value.proof_of_work;
        if (block === null || proof?.type !== 'user_input' || !ASKS.test(proof.user_input.prompt)) continue;
        context.report({
          place: nearestPlace(context, block, ['proof_of_work', 'user_input', 'prompt']),
          reason: `This asks for permission after the last command of the protocol (step ${steps[last]!.index}), so a refusal stops nothing. Move the step before the command that it is about.`,
        });
      }
    }
  },
};

function acts({ block }: StepNode): boolean {
  const type = block?.value.proof_of_work?.type;
  return type === 'shell' || type === 'mcp';
}

/** "May it be swapped now?", "Is it ok to delete them?"; not "Can you see it?" or "Does it work?", which ask for a result. */
const ASKS =
  /^\s*(?:(?:may|shall|should)\s+(?!(?:\S+\s+){1,4}have\b)|(?:is it |are you )?(?:ok|okay|fine|safe|ready|allowed) to\s|do you (?:want|allow|permit)\b)/i;

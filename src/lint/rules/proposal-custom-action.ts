import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const proposalCustomAction: LintRule = {
  id: 'proposal-custom-action',
  family: 'proposal',
  severity: 'info',
  summary: 'The action of a proposal is one of the known ones.',
  why: '`custom` does not describe what will be done. The gate denies it unless a policy names it for exactly this target, so the protocol works on no other machine.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      if (template.action_type !== 'custom') continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'action_type']),
        reason:
          'The action "custom" is denied wherever no policy names it. Write what is done if it is one of the others: write, create, delete, execute, communicate, transact, approve.',
      });
    }
  },
};

import type { LintRule } from '../rule.ts';
import { gatedSteps, keyPlaceOf } from './support/written.ts';

export const proposalApprovalOpen: LintRule = {
  id: 'proposal-approval-open',
  family: 'proposal',
  severity: 'warning',
  summary: 'A proposal that changes something defines how many people must approve.',
  why: 'Without approval_class the class is `none`, and evidence alone decides. That may be the intention. An explicit value makes it clear.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const { action_type: action, approval_class: given } = template;
      if (given !== undefined || action === 'read' || action === 'navigate') continue;
      context.report({
        place: keyPlaceOf(context, block, ['proposal']),
        reason:
          'This proposal does not define who must approve, so only the policy can ask for approvals. Add "approval_class": none, single, dual or threshold.',
      });
    }
  },
};

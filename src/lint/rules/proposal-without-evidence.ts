import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const proposalWithoutEvidence: LintRule = {
  id: 'proposal-without-evidence',
  family: 'proposal',
  severity: 'warning',
  summary: 'Without an approval, evidence is required.',
  why: 'The absence of a denial is not permission. With the class none and no precondition the gate denies the proposal, unless the proposer adds evidence, which then proves only what the proposer wants to prove.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const { approval_class: approval, preconditions = [] } = template;
      if (approval !== 'none' || preconditions.length > 0) continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'approval_class']),
        reason:
          'No approval and no evidence are required, so the gate denies the proposal unchanged. Add a precondition on an earlier step, or an approval_class.',
      });
    }
  },
};

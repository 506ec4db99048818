import type { LintRule } from '../rule.ts';

export const completionRuleMisplaced: LintRule = {
  id: 'completion-rule-misplaced',
  family: 'document',
  severity: 'warning',
  summary: 'The completion rule is after the last step.',
  why: 'It defines when everything is done. With steps after it, a reader believes that the work ends there and never sees the rest, while a run still shows it.',
  check(context) {
    for (const { completionRule, steps } of context.document.chains) {
      if (completionRule === null) continue;
      const after = steps.find(({ place }) => place.start.offset > completionRule.place.start.offset);
      if (after === undefined) continue;
      context.report({
        place: completionRule.place,
        reason: `Step ${after.index}, ${JSON.stringify(after.label)}, comes after the Completion Rule. Move the rule to the end.`,
      });
    }
  },
};

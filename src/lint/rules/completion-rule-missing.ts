import type { LintRule } from '../rule.ts';

export const completionRuleMissing: LintRule = {
  id: 'completion-rule-missing',
  family: 'document',
  severity: 'info',
  summary: 'A chain defines when it is done.',
  why: 'The last thing in a run is to attest success or failure. A sentence about what must be true makes that a fact instead of an opinion.',
  check(context) {
    for (const { completionRule, steps, titlePlace, title } of context.document.chains) {
      if (completionRule !== null || steps.length === 0) continue;
      context.report({
        place: titlePlace,
        reason: `${JSON.stringify(title)} has no Completion Rule. End it with an H2 of that name that states what is true when the work is done.`,
      });
    }
  },
};

import type { LintRule } from '../rule.ts';

export const triggersMissing: LintRule = {
  id: 'triggers-missing',
  family: 'document',
  severity: 'info',
  summary: 'A chain names the words that people use when they need it.',
  why: 'Search compares titles first, and triggers like titles. A user who types "ship it" finds a protocol called "Release a package" only if its author wrote that down.',
  check(context) {
    for (const { triggers, steps, titlePlace, title } of context.document.chains) {
      if (triggers !== null || steps.length === 0) continue;
      context.report({
        place: titlePlace,
        reason: `${JSON.stringify(title)} has no Natural Language Triggers. Put an H2 of that name before the first step and list five phrases that people would type.`,
      });
    }
  },
};

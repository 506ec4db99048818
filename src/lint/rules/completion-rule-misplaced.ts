import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';

const RULE = '## Completion Rule\n\nThe registry serves the new version.';

/** Completion rules with steps after them. */
export const completionRuleMisplaced: LintRule = {
  id: 'completion-rule-misplaced',
  family: 'document',
  severity: 'warning',
  summary: 'The completion rule is after the last step.',
  why: 'It defines when everything is done. With steps after it, a reader believes that the work ends there and never sees the rest, while a run still shows it.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A step that was added at the end',
        source: chain(
          'Release a package',
          step('Publish it', 'Upload the package.'),
          RULE,
          step('Inform the users', 'Write the announcement.'),
        ),
        findings: [
          {
            line: 7,
            column: 1,
            reason: 'Step 2, "Inform the users", comes after the Completion Rule. Move the rule to the end.',
          },
        ],
      },
      {
        title: 'The rule at the end, triggers even after it',
        source: chain(
          'Release a package',
          step('Publish it', 'Upload the package.'),
          RULE,
          '## Natural Language Triggers\n\n- "ship it"',
        ),
        findings: [],
      },
    ];
  },
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

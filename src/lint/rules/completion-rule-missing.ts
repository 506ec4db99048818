import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';

const TRIGGERS = '## Natural Language Triggers\n\n- "ship it"';
const RULE = '## Completion Rule\n\nThe registry serves the new version.';

/** Chains without a completion rule. */
export const completionRuleMissing: LintRule = {
  id: 'completion-rule-missing',
  family: 'document',
  severity: 'info',
  summary: 'A chain defines when it is done.',
  why: 'The last thing in a run is to attest success or failure. A sentence about what must be true then makes that a fact instead of an opinion.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A chain that just stops',
        source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.')),
        findings: [{ line: 1, column: 1 }],
      },
      {
        title: 'A chain with a completion rule',
        source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.'), RULE),
        findings: [],
      },
    ];
  },
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

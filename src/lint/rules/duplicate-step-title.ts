import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';

/** Steps of one chain that are called alike. */
export const duplicateStepTitle: LintRule = {
  id: 'duplicate-step-title',
  family: 'document',
  severity: 'warning',
  summary: 'The steps of a chain have different titles.',
  why: 'Agents, ledgers and search name a step by its title. If two have the same title, a report does not show which of them failed, and an agent may confuse the second with the one that it has just done.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'The same title twice',
        source: chain(
          'Deploy',
          step('Check the health', 'Before.'),
          step('Deploy', 'Do it.'),
          step('Check the  Health', 'After.'),
        ),
        findings: [
          {
            line: 11,
            column: 1,
            reason:
              'Step 3 is called "Check the Health" like step 1. Describe in the title what is different about it.',
          },
        ],
      },
      {
        title: 'Titles that differ, and the same title in another chain',
        source: `${chain('Deploy', step('Check before', 'Look.'), step('Check after', 'Look.'))}\n${chain('Roll back', step('Check before', 'Look.'))}`,
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { steps } of context.document.chains) {
      const seen = new Map<string, StepNode>();
      for (const node of steps) {
        const title = node.label.toLowerCase();
        const earlier = seen.get(title);
        if (earlier === undefined) seen.set(title, node);
        else {
          context.report({
            place: node.labelPlace,
            reason: `Step ${node.index} is called ${JSON.stringify(node.label)} like step ${earlier.index}. Describe in the title what is different about it.`,
          });
        }
      }
    }
  },
};

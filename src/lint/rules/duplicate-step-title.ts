import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';

export const duplicateStepTitle: LintRule = {
  id: 'duplicate-step-title',
  family: 'document',
  severity: 'warning',
  summary: 'The steps of a chain have different titles.',
  why: 'Agents, ledgers and search name a step by its title. If two have the same title, a report does not show which of them failed, and an agent may confuse the second with the one that it has just done.',
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

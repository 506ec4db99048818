import type { LintRule } from '../rule.ts';
import { gatedSteps, keyPlaceOf } from './support/written.ts';

export const proposalTooOpen: LintRule = {
  id: 'proposal-too-open',
  family: 'proposal',
  severity: 'warning',
  summary: 'A proposal template defines what is done and to what.',
  why: 'Policies judge by action and target. If the template leaves them out, the agent or user fills them in, and could call a deletion a read to pass the gate.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const open = (['action_type', 'target'] as const).filter((key) => template[key] === undefined);
      if (open.length === 0) continue;
      const isBoth = open.length === 2;
      context.report({
        place: keyPlaceOf(context, block, ['proposal']),
        reason: `The template sets ${isBoth ? 'neither action_type nor target' : `no ${open[0]}`}, so the proposer chooses under which rule it is judged. Set ${isBoth ? 'both' : 'it'}.`,
      });
    }
  },
};

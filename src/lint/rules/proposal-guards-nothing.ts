import type { LintRule } from '../rule.ts';
import { gatedSteps, keyPlaceOf } from './support/written.ts';

export const proposalGuardsNothing: LintRule = {
  id: 'proposal-guards-nothing',
  family: 'proposal',
  severity: 'info',
  summary: 'A proposal guards a command or a tool.',
  why: 'The gate withholds the command or the tool until the proposal is allowed, and the permit is bound to exactly that. A comment has nothing to withhold.',
  about: 'proposals',
  check(context) {
    for (const { block } of gatedSteps(context)) {
      const type = block.value.proof_of_work?.type;
      if (type === 'shell' || type === 'mcp') continue;
      context.report({
        place: keyPlaceOf(context, block, ['proposal']),
        reason:
          'This step has no command and no tool, so the gate has nothing to withhold. Let a shell or mcp proof do the work.',
      });
    }
  },
};

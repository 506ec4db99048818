import type { LintRule } from '../rule.ts';
import { chain, gatedExample, step } from './support/example.ts';
import { gatedSteps } from './support/templates.ts';
import { keyPlaceOf } from './support/written.ts';

const PROPOSAL = {
  action_type: 'communicate',
  target: { resource_type: 'mail' },
  approval_class: 'single',
};

/** Proposals in front of nothing that could be withheld. */
export const proposalGuardsNothing: LintRule = {
  id: 'proposal-guards-nothing',
  family: 'proposal',
  severity: 'info',
  summary: 'A proposal guards a command or a tool.',
  why: 'The gate withholds the command or the tool until the proposal is allowed, and the permit is bound to exactly that. Before a comment it has nothing to withhold.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'A proposal for something done by hand',
        source: chain('Tell', step('Send the mail', 'Send it.', { proposal: PROPOSAL })),
        findings: [
          {
            line: 8,
            column: 2,
            reason:
              'This step has no command and no tool, so the gate has nothing to withhold. Let a shell or mcp proof do the work.',
          },
        ],
      },
      { title: 'A gated command', source: gatedExample({}), findings: [] },
    ];
  },
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

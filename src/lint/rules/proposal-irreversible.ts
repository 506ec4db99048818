import type { Rule } from '../rule.ts';
import { guarded } from './support/proposal-example.ts';
import { guardedSteps } from './support/templates.ts';
import { placeOf } from './support/written.ts';

const REQUIRED = { risk_envelope: { reversible_required: true } };

/** Steps that must be reversible and are not. */
export const proposalIrreversible: Rule = {
  id: 'proposal-irreversible',
  family: 'proposal',
  severity: 'error',
  summary: 'What must be reversible has a rollback in its template.',
  why: 'Only the template’s own rollback counts; a proposal cannot add one. Without it the gate denies every proposal.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'No way back',
        source: guarded(REQUIRED),
        findings: [
          {
            line: 24,
            column: 276,
            reason:
              'This must be reversible, but the template has no rollback, so every proposal is denied. Add rollback_semantics with the strategy command, chain or manual.',
          },
        ],
      },
      {
        title: 'A command that leads back',
        source: guarded({
          ...REQUIRED,
          rollback_semantics: { strategy: 'command', command: 'make rollback' },
        }),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { block, template } of guardedSteps(context)) {
      const strategy = template.rollback_semantics?.strategy ?? 'none';
      if (template.risk_envelope?.reversible_required !== true || strategy !== 'none') continue;
      context.report({
        place: placeOf(context, block, ['proposal', 'risk_envelope', 'reversible_required']),
        reason:
          'This must be reversible, but the template has no rollback, so every proposal is denied. Add rollback_semantics with the strategy command, chain or manual.',
      });
    }
  },
};

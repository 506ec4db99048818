import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const proposalIrreversible: LintRule = {
  id: 'proposal-irreversible',
  family: 'proposal',
  severity: 'error',
  summary: 'What must be reversible has a rollback in its template.',
  why: 'Only the template’s own rollback counts; a proposal cannot add one. Without it the gate denies every proposal.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const strategy = template.rollback_semantics?.strategy ?? 'none';
      if (template.risk_envelope?.reversible_required !== true || strategy !== 'none') continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'risk_envelope', 'reversible_required']),
        reason:
          'This must be reversible, but the template has no rollback, so every proposal is denied. Add rollback_semantics with the strategy command, chain or manual.',
      });
    }
  },
};

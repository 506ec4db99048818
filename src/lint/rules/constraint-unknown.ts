import { suggest } from '../../base/errors.ts';
import type { LintRule } from '../rule.ts';
import { gatedSteps, keyPlaceOf } from './support/written.ts';

const KNOWN = ['allowed_fields', 'forbidden_fields'];

export const constraintUnknown: LintRule = {
  id: 'constraint-unknown',
  family: 'proposal',
  severity: 'info',
  summary: 'The constraints of a target are known ones.',
  why: 'The gate knows allowed_fields and forbidden_fields. Without a policy for it, any other constraint is denied, so the protocol works on no other machine.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      for (const name of Object.keys(template.target?.constraints ?? {})) {
        if (KNOWN.includes(name)) continue;
        const meant = suggest(name, KNOWN);
        context.report({
          place: keyPlaceOf(context, block, ['proposal', 'target', 'constraints', name]),
          reason: `The constraint ${JSON.stringify(name)} is denied wherever no policy registers it. ${meant === undefined ? 'Name that policy in the text.' : `Did you mean ${meant}?`}`,
        });
      }
    }
  },
};

import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const proposalMaxRecords: LintRule = {
  id: 'proposal-max-records',
  family: 'proposal',
  severity: 'error',
  summary: 'A limit of affected records is at least one.',
  why: 'V-PROP-012: the gate denies a proposal whose limit is not positive, and the template’s limit must be repeated. So the step could never be passed.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const limit = template.risk_envelope?.max_affected_records;
      if (limit === undefined || limit > 0) continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'risk_envelope', 'max_affected_records']),
        reason: `A limit of ${limit} records is denied by the gate (V-PROP-012). Write how many may be affected, or leave it out.`,
      });
    }
  },
};

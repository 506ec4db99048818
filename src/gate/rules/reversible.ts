import { rollbackOf } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-127');

/** What must be reversible has a rollback. */
export const reversible: Rule = {
  code: 'K-PROP-127',
  title: 'What must be reversible has a rollback',
  check: (item) => {
    const required =
      item.parts.risk_envelope.reversible_required === true ||
      item.guarded.template.risk_envelope?.reversible_required === true;
    return !required || (rollbackOf(item)?.strategy ?? 'none') !== 'none'
      ? []
      : [found('/risk_envelope/reversible_required', 'The template has no rollback.')];
  },
};

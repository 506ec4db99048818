import { lookUp } from '../evidence/look-up.ts';
import { holds } from '../operators.ts';
import { violations } from '../violation.ts';
import { supported } from './evidence.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-121');

/** Every precondition holds in its evidence. */
export const preconditionHolds: Rule = {
  code: 'K-PROP-121',
  title: 'Every precondition holds in its evidence',
  check: (item) =>
    supported(item).flatMap(({ at, precondition: { field, operator, value }, packet }) => {
      const actual = lookUp(packet, field);
      if (!actual.found) return [found(`/preconditions/${at}/field`, 'The evidence has no such field.')];
      return holds(operator, actual.value, value, item.tools.patterns)
        ? []
        : [found(`/preconditions/${at}`, 'The evidence does not say so.')];
    }),
};

import { jsonEqual } from '../../proof/json-equal.ts';
import { isGiven } from '../input.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-114');

/** The template's preconditions are all there; more may be added. */
export const preconditionsKept: Rule = {
  code: 'K-PROP-114',
  title: "The template's preconditions are all there; more may be added",
  check: (item) => {
    const { fields, reading, guarded } = item;
    const set = guarded.template.preconditions ?? [];
    const malformed = isGiven(item, 'preconditions') && fields.preconditions === undefined;
    if (reading.raw === null || malformed) return [];
    const given = fields.preconditions ?? [];
    return set
      .filter((precondition) => !given.some((other) => jsonEqual(other, precondition)))
      .map(() => found('/preconditions', 'A precondition of the template is missing or changed here.'));
  },
};

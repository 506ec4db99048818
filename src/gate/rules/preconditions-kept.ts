import { jsonEqual, own } from '../../proof/json-equal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-114');

/** The template's preconditions are all there; more may be added. */
export const preconditionsKept: Rule = {
  code: 'K-PROP-114',
  title: "The template's preconditions are all there; more may be added",
  check: ({ reading: { raw }, guarded }) => {
    if (raw === null) return [];
    const given = own(raw, 'preconditions');
    const kept = (one: unknown) => Array.isArray(given) && given.some((other) => jsonEqual(other, one));
    return (guarded.template.preconditions ?? [])
      .filter((precondition) => !kept(precondition))
      .map(() => found('/preconditions', 'A precondition of the template is missing or changed here.'));
  },
};

import { coveringRules } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-131');

/** Where there is a policy, one of its rules covers the action and the target. */
export const covered: Rule = {
  code: 'K-PROP-131',
  title: 'Where there is a policy, one of its rules covers the action and the target',
  check: (item) => {
    const { policy, fields } = item;
    if (policy === null || fields.action_type === undefined || fields.target === undefined) return [];
    return coveringRules(item).length > 0 ? [] : [found('', 'No rule of the policy covers it.')];
  },
};

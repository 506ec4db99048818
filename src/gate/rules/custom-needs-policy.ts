import { coveringRules } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-130');

/** custom is an action only where a rule of the policy names it. */
export const customNeedsPolicy: Rule = {
  code: 'K-PROP-130',
  title: 'custom is an action only where a rule of the policy names it',
  check: (item) =>
    item.fields.action_type !== 'custom' ||
    coveringRules(item).some(({ match }) => match.action_types?.includes('custom') === true)
      ? []
      : [found('/action_type', 'No rule of a policy names the action custom.')],
};

import { coveringRules } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-132');

/** The policy lets this actor propose it. */
export const actorPermitted: Rule = {
  code: 'K-PROP-132',
  title: 'The policy lets this actor propose it',
  check: (item) =>
    coveringRules(item).some(({ actors }) => actors !== undefined && !actors.includes(item.actor))
      ? [found('/actor', 'The policy does not let this actor propose it.')]
      : [],
};

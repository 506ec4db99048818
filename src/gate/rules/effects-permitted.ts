import { coveringRules, effectsOf } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-133');

/** The policy permits every effect. */
export const effectsPermitted: Rule = {
  code: 'K-PROP-133',
  title: 'The policy permits every effect',
  check: (item) => {
    const rules = coveringRules(item);
    const all = [...effectsOf(item), ...(item.parts.risk_envelope.allowed_side_effects ?? [])];
    const refused = all.some((effect) =>
      rules.some(
        ({ allowed_effects: allowed, forbidden_effects: forbidden }) =>
          forbidden.includes(effect) || (allowed !== undefined && !allowed.includes(effect)),
      ),
    );
    return refused ? [found('/risk_envelope', 'The policy does not permit one of the effects.')] : [];
  },
};

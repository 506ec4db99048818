import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-125');

/** No effect is both allowed and forbidden. */
export const effectsDisjoint: Rule = {
  code: 'K-PROP-125',
  title: 'No effect is both allowed and forbidden',
  check: ({ fields: { risk_envelope: envelope } }) =>
    (envelope?.allowed_side_effects ?? []).flatMap((effect, at) =>
      envelope?.forbidden_effects.includes(effect) === true
        ? [found(`/risk_envelope/allowed_side_effects/${at}`, 'It is forbidden as well.')]
        : [],
    ),
};

import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-125');

/** No effect is both allowed and forbidden. */
export const effectsDisjoint: Rule = {
  code: 'K-PROP-125',
  title: 'No effect is both allowed and forbidden',
  check: ({
    parts: {
      risk_envelope: { allowed_side_effects: allowed = [], forbidden_effects: forbidden = [] },
    },
  }) =>
    allowed.flatMap((effect, at) =>
      forbidden.includes(effect)
        ? [found(`/risk_envelope/allowed_side_effects/${at}`, 'It is forbidden as well.')]
        : [],
    ),
};

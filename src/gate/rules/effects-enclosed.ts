import { effectsOf } from '../effective.ts';
import { isGiven } from '../input.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-126');

/** The effects of the step are among the allowed ones and none of them is forbidden. */
export const effectsEnclosed: Rule = {
  code: 'K-PROP-126',
  title: 'The effects of the step are among the allowed ones and none of them is forbidden',
  check: (item) => {
    if (item.reading.raw === null) return [];
    const { allowed_side_effects, forbidden_effects: forbidden = [] } = item.parts.risk_envelope;
    // A list that cannot be read says nothing; no envelope at all allows nothing.
    const allowed = allowed_side_effects ?? (isGiven(item, 'risk_envelope') ? null : []);
    const outside = effectsOf(item).some(
      (effect) => allowed?.includes(effect) === false || forbidden.includes(effect),
    );
    return outside
      ? [found('/risk_envelope/allowed_side_effects', 'The step has an effect that is not allowed here.')]
      : [];
  },
};

import { effectsOf } from '../effective.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-126');

/** The effects of the step are among the allowed ones and none of them is forbidden. */
export const effectsEnclosed: Rule = {
  code: 'K-PROP-126',
  title: 'The effects of the step are among the allowed ones and none of them is forbidden',
  check: (item) => {
    const { reading, fields } = item;
    if (reading.raw === null || reading.problems.has('risk_envelope')) return [];
    const { allowed_side_effects: allowed = [], forbidden_effects: forbidden = [] } =
      fields.risk_envelope ?? {};
    const outside = effectsOf(item).some((effect) => !allowed.includes(effect) || forbidden.includes(effect));
    return outside
      ? [found('/risk_envelope/allowed_side_effects', 'The step has an effect that is not allowed here.')]
      : [];
  },
};

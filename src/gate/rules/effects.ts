import { effectsOf, rollbackOf } from '../effective.ts';
import { isGiven } from '../input.ts';
import { shown, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const noRecords = violations('V-PROP-012');

export const affectedRecords: Rule = {
  code: 'V-PROP-012',
  title: 'risk_envelope.max_affected_records must be greater than 0',
  check: ({
    parts: {
      risk_envelope: { max_affected_records: most },
    },
  }) =>
    most === undefined || most > 0
      ? []
      : [noRecords('/risk_envelope/max_affected_records', 'It must be greater than 0.')],
};

const both = violations('K-PROP-125');

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
        ? [both(`/risk_envelope/allowed_side_effects/${at}`, `${shown(effect)} is forbidden as well.`)]
        : [],
    ),
};

const outside = violations('K-PROP-126');

export const effectsEnclosed: Rule = {
  code: 'K-PROP-126',
  title: 'The effects of the step are among the allowed ones and none of them is forbidden',
  check: (item) => {
    if (item.reading.raw === null) return [];
    const { allowed_side_effects, forbidden_effects: forbidden = [] } = item.parts.risk_envelope;
    // An unreadable list allows nothing, and neither does a missing envelope.
    const allowed = allowed_side_effects ?? (isGiven(item, 'risk_envelope') ? null : []);
    return effectsOf(item)
      .filter((effect) => allowed?.includes(effect) === false || forbidden.includes(effect))
      .map((effect) =>
        outside(
          '/risk_envelope/allowed_side_effects',
          `The step has the effect ${shown(effect)}, which is not allowed here.`,
        ),
      );
  },
};

const irreversible = violations('K-PROP-127');

export const reversible: Rule = {
  code: 'K-PROP-127',
  title: 'What must be reversible has a rollback',
  check: (item) => {
    const required =
      item.parts.risk_envelope.reversible_required === true ||
      item.guarded.template.risk_envelope?.reversible_required === true;
    return !required || (rollbackOf(item)?.strategy ?? 'none') !== 'none'
      ? []
      : [irreversible('/risk_envelope/reversible_required', 'The template has no rollback.')];
  },
};

import { type Case, isGiven } from '../input.ts';
import type { ProposalField } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-113');

/** Effects may be narrowed, never widened. */
export const effectsWidened: Rule = {
  code: 'K-PROP-113',
  title: 'Effects may be narrowed, never widened',
  check: (item) => {
    const { fields, guarded } = item;
    const { effects, risk_envelope: template } = guarded.template;
    const envelope = fields.risk_envelope;
    const allowed = template?.allowed_side_effects;
    const forbidden = template?.forbidden_effects;
    return [
      ...added(fields.effects, effects).map((at) =>
        found(`/effects/${at}`, 'The template does not name this effect.'),
      ),
      ...added(envelope?.allowed_side_effects, allowed).map((at) =>
        found(`/risk_envelope/allowed_side_effects/${at}`, 'The template does not allow this effect.'),
      ),
      ...(envelope !== undefined && added(forbidden, envelope.forbidden_effects).length > 0
        ? [found('/risk_envelope/forbidden_effects', 'An effect is missing that the template forbids.')]
        : []),
      ...(isLeftOut(item, 'risk_envelope') && (allowed !== undefined || forbidden !== undefined)
        ? [found('/risk_envelope', 'The template sets it, and it is missing here.')]
        : []),
    ];
  },
};

/** Places of what is in the list and not in the one that it may come from. */
function added(list: readonly string[] | undefined, from: readonly string[] | undefined): number[] {
  if (list === undefined || from === undefined) return [];
  return list.flatMap((effect, at) => (from.includes(effect) ? [] : [at]));
}

function isLeftOut(item: Case, field: ProposalField): boolean {
  return item.reading.raw !== null && !isGiven(item, field);
}

import { isJsonObject, own } from '../../proof/json-equal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-113');

/** Effects may be narrowed, never widened. */
export const effectsWidened: Rule = {
  code: 'K-PROP-113',
  title: 'Effects may be narrowed, never widened',
  check: ({ reading: { raw }, guarded }) => {
    if (raw === null) return [];
    const { effects, risk_envelope: template } = guarded.template;
    const allowed = template?.allowed_side_effects;
    const forbidden = template?.forbidden_effects;
    const envelope = own(raw, 'risk_envelope');
    const member = (key: string) => (isJsonObject(envelope) ? own(envelope, key) : undefined);
    return [
      ...added(own(raw, 'effects'), effects).map((at) =>
        found(`/effects/${at}`, 'The template does not name this effect.'),
      ),
      ...added(member('allowed_side_effects'), allowed).map((at) =>
        found(`/risk_envelope/allowed_side_effects/${at}`, 'The template does not allow this effect.'),
      ),
      ...(envelope !== undefined && added(forbidden, listOf(member('forbidden_effects'))).length > 0
        ? [found('/risk_envelope/forbidden_effects', 'An effect is missing that the template forbids.')]
        : []),
      ...(envelope === undefined && (allowed !== undefined || forbidden !== undefined)
        ? [found('/risk_envelope', 'The template sets it, and it is missing here.')]
        : []),
    ];
  },
};

/** Places of what is in the list and not in the one that it may come from. */
function added(list: unknown, from: readonly unknown[] | undefined): number[] {
  if (from === undefined) return [];
  return listOf(list).flatMap((effect, at) => (from.includes(effect) ? [] : [at]));
}

/** As it was given: what is no list names nothing. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import { isJsonObject, jsonEqual, own } from '../../proof/json-equal.ts';
import { rollbackOf } from '../effective.ts';
import { isGiven } from '../input.ts';
import { isAtLeast } from '../policy/rule-for.ts';
import type { ProposalField, Rollback } from '../proposal.ts';
import { pointerTo, shown, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const unequal = violations('K-PROP-112');

export const templateEqual: Rule = {
  code: 'K-PROP-112',
  title: 'Every field that the template sets is equal in the proposal',
  check: (item) => {
    const { raw } = item.reading;
    if (raw === null) return [];
    const { template } = item.guarded;
    const { action_type, target = {}, risk_envelope: envelope = {}, time_window: window = {} } = template;
    return [
      ...differs(raw, ['action_type'], action_type),
      ...TARGET.flatMap((key) => differs(raw, ['target', key], target[key])),
      ...ENVELOPE.flatMap((key) => differs(raw, ['risk_envelope', key], envelope[key])),
      ...differs(raw, ['time_window', 'max_duration_ms'], window.max_duration_ms),
      ...(isGiven(item, 'evidence_bindings')
        ? differs(raw, ['evidence_bindings'], template.evidence_bindings)
        : []),
    ];
  },
};

const TARGET = ['resource_type', 'resource_id', 'domain', 'constraints'] as const;
const ENVELOPE = ['max_affected_records', 'reversible_required'] as const;

/** A missing or mistyped value isn't equal either, and hides no other fault. */
function differs(
  raw: Record<string, unknown>,
  path: readonly [ProposalField, ...string[]],
  expected: unknown,
): Violation[] {
  if (expected === undefined) return [];
  const actual = path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? own(value, key) : undefined),
    raw,
  );
  if (actual !== undefined && jsonEqual(actual, expected)) return [];
  const here = actual === undefined ? 'it is missing here' : `here is ${shown(actual)}`;
  return [unequal(pointerTo('', ...path), `The template sets ${shown(expected)}; ${here}.`)];
}

const widened = violations('K-PROP-113');

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
    const missing = added(forbidden, listOf(member('forbidden_effects')));
    return [
      ...added(own(raw, 'effects'), effects).map(({ at }) =>
        widened(`/effects/${at}`, 'The template does not name this effect.'),
      ),
      ...added(member('allowed_side_effects'), allowed).map(({ at }) =>
        widened(`/risk_envelope/allowed_side_effects/${at}`, 'The template does not allow this effect.'),
      ),
      ...(envelope !== undefined && missing.length > 0
        ? [
            widened(
              '/risk_envelope/forbidden_effects',
              `The template forbids ${missing.map(({ effect }) => shown(effect)).join(', ')}, and that is missing here.`,
            ),
          ]
        : []),
      ...(envelope === undefined && (allowed !== undefined || forbidden !== undefined)
        ? [widened('/risk_envelope', 'The template sets it, and it is missing here.')]
        : []),
    ];
  },
};

/** What is in the list and not in the one that it may come from, with its place. */
function added(list: unknown, from: readonly unknown[] | undefined): { at: number; effect: unknown }[] {
  if (from === undefined) return [];
  return listOf(list).flatMap((effect, at) => (from.includes(effect) ? [] : [{ at, effect }]));
}

/** As given: anything but a list names nothing. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const dropped = violations('K-PROP-114');

export const preconditionsKept: Rule = {
  code: 'K-PROP-114',
  title: "The template's preconditions are all there; more may be added",
  check: ({ reading: { raw }, guarded }) => {
    if (raw === null) return [];
    const given = own(raw, 'preconditions');
    const kept = (one: unknown) => Array.isArray(given) && given.some((other) => jsonEqual(other, one));
    return (guarded.template.preconditions ?? [])
      .filter((precondition) => !kept(precondition))
      .map(({ field, operator, value }) =>
        dropped(
          '/preconditions',
          `The template's precondition on ${shown(field)} (${operator} ${shown(value)}) is missing or changed here.`,
        ),
      );
  },
};

const otherRollback = violations('K-PROP-115');

export const rollbackFixed: Rule = {
  code: 'K-PROP-115',
  title: 'The rollback comes only from the template',
  check: (item) => {
    const set = rollbackOf(item);
    if (set !== undefined && !isComplete(set))
      return [otherRollback('/rollback_semantics', 'The template names a rollback without defining it.')];
    if (!isGiven(item, 'rollback_semantics')) return [];
    if (set !== undefined && jsonEqual(item.reading.raw?.rollback_semantics, set)) return [];
    return [otherRollback('/rollback_semantics', 'It is not the rollback of the template.')];
  },
};

function isComplete({ strategy, command, chain_uri }: Rollback): boolean {
  if (strategy === 'command') return command !== undefined;
  return strategy !== 'chain' || chain_uri !== undefined;
}

const lowered = violations('K-PROP-116');

export const classLowered: Rule = {
  code: 'K-PROP-116',
  title: "approval_class is the template's or a higher one",
  check: (item) => {
    const { fields, guarded, reading } = item;
    const malformed = isGiven(item, 'approval_class') && fields.approval_class === undefined;
    if (reading.raw === null || malformed) return [];
    const least = guarded.template.approval_class ?? 'none';
    return isAtLeast(fields.approval_class ?? 'none', least)
      ? []
      : [lowered('/approval_class', `It is lower than the class of the template, ${least}.`)];
  },
};

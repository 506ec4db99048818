import { isObject } from '../../base/json.ts';
import { FIELD_CONSTRAINTS } from '../../protocol/terms.ts';
import { effectsOf, rollbackOf } from '../effective.ts';
import { type GateRule, isGiven } from '../input.ts';
import { describeValue, pointerTo, violations } from '../violation.ts';

const noRecords = violations('V-PROP-012');

export const affectedRecords: GateRule = {
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

export const effectsDisjoint: GateRule = {
  code: 'K-PROP-125',
  title: 'No effect is both allowed and forbidden',
  check: ({
    parts: {
      risk_envelope: { allowed_side_effects: allowed = [], forbidden_effects: forbidden = [] },
    },
  }) =>
    allowed.flatMap((effect, at) =>
      forbidden.includes(effect)
        ? [
            both(
              `/risk_envelope/allowed_side_effects/${at}`,
              `${describeValue(effect)} is forbidden as well.`,
            ),
          ]
        : [],
    ),
};

const outside = violations('K-PROP-126');

export const effectsEnclosed: GateRule = {
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
          `The step has the effect ${describeValue(effect)}, which is not allowed here.`,
        ),
      );
  },
};

const irreversible = violations('K-PROP-127');

export const reversible: GateRule = {
  code: 'K-PROP-127',
  title: 'What must be reversible has a rollback',
  check: (item) => {
    const required =
      item.parts.risk_envelope.reversible_required === true ||
      item.gated.template.risk_envelope?.reversible_required === true;
    return !required || (rollbackOf(item)?.strategy ?? 'none') !== 'none'
      ? []
      : [irreversible('/risk_envelope/reversible_required', 'The template has no rollback.')];
  },
};

const unknown = violations('K-PROP-122');

export const constraintKnown: GateRule = {
  code: 'K-PROP-122',
  title: 'Every constraint of the target is known, and has its shape',
  check: ({ parts: { target }, policy, tools }) =>
    Object.entries(target.constraints ?? {}).flatMap(([name, value]) => {
      const pointer = pointerTo('/target/constraints', name);
      if (FIELD_CONSTRAINTS.includes(name))
        return isNameList(value) ? [] : [unknown(pointer, 'It must be a list of names.')];
      const registered = policy?.policy.constraints ?? {};
      const own = Object.hasOwn(registered, name) ? registered[name] : undefined;
      if (own === undefined)
        return [unknown(pointer, 'kairos does not know this constraint; a policy can define it.')];
      return tools.schemas.errors(own.value, value).length === 0
        ? []
        : [unknown(pointer, 'It does not fit the schema that the policy has for it.')];
    }),
};

const forbiddenField = violations('K-PROP-123');

export const fieldsAllowed: GateRule = {
  code: 'K-PROP-123',
  title: 'Only allowed fields are touched, and no forbidden one',
  check: ({ fields: { parameters }, parts: { target } }) => {
    if (parameters === undefined) return [];
    const { allowed_fields: allowed, forbidden_fields: forbidden } = target.constraints ?? {};
    const { updates } = parameters;
    const inside = isObject(updates);
    const place = (key: string) =>
      inside ? pointerTo('/parameters/updates', key) : pointerTo('/parameters', key);
    const touched = Object.keys(inside ? updates : parameters);
    return [
      ...(isNameList(allowed)
        ? touched
            .filter((key) => !allowed.includes(key))
            .map((key) => forbiddenField(place(key), 'It is not among the allowed fields.'))
        : []),
      ...(isNameList(forbidden)
        ? [
            ...touched.filter((key) => forbidden.includes(key)).map(place),
            // Fields next to the updates also reach the step.
            ...(inside ? Object.keys(parameters) : [])
              .filter((key) => forbidden.includes(key))
              .map((key) => pointerTo('/parameters', key)),
          ].map((pointer) => forbiddenField(pointer, 'It is among the forbidden fields.'))
        : []),
    ];
  },
};

const broken = violations('K-PROP-124');

export const constraintHolds: GateRule = {
  code: 'K-PROP-124',
  title: 'parameters satisfy the constraints that the policy registers',
  check: ({
    fields: { parameters },
    parts: {
      target: { constraints = {} },
    },
    policy,
    tools,
  }) => {
    if (parameters === undefined || policy === null) return [];
    return Object.entries(policy.policy.constraints).flatMap(([name, { parameters: schema }]) =>
      Object.hasOwn(constraints, name)
        ? tools.schemas
            .errors(schema, parameters)
            .map(({ path }) =>
              broken(`/parameters${path}`, 'It breaks a constraint that the policy registers.'),
            )
        : [],
    );
  },
};

function isNameList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

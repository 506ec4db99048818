import { isJsonObject } from '../../proof/json-equal.ts';
import { FIELD_CONSTRAINTS } from '../policy/field-constraints.ts';
import { pointerTo, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const unknown = violations('K-PROP-122');

export const constraintKnown: Rule = {
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

export const fieldsAllowed: Rule = {
  code: 'K-PROP-123',
  title: 'Only allowed fields are touched, and no forbidden one',
  check: ({ fields: { parameters }, parts: { target } }) => {
    if (parameters === undefined) return [];
    const { allowed_fields: allowed, forbidden_fields: forbidden } = target.constraints ?? {};
    const { updates } = parameters;
    const inside = isJsonObject(updates);
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

export const constraintHolds: Rule = {
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

import { isJsonObject } from '../../proof/json-equal.ts';
import { pointerTo, violations } from '../violation.ts';
import { isNameList } from './field-constraints.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-123');

/** Only allowed fields are touched, and no forbidden one. */
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
            .map((key) => found(place(key), 'It is not among the allowed fields.'))
        : []),
      ...(isNameList(forbidden)
        ? [
            ...touched.filter((key) => forbidden.includes(key)).map(place),
            // What stands beside the updates reaches the step as well.
            ...(inside ? Object.keys(parameters) : [])
              .filter((key) => forbidden.includes(key))
              .map((key) => pointerTo('/parameters', key)),
          ].map((pointer) => found(pointer, 'It is among the forbidden fields.'))
        : []),
    ];
  },
};

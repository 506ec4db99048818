import { pointerTo, violations } from '../violation.ts';
import { FIELD_CONSTRAINTS, isNameList } from './field-constraints.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-122');

/** Every constraint of the target is known, and has its shape. */
export const constraintKnown: Rule = {
  code: 'K-PROP-122',
  title: 'Every constraint of the target is known, and has its shape',
  check: ({ parts: { target }, policy, tools }) =>
    Object.entries(target.constraints ?? {}).flatMap(([name, value]) => {
      const pointer = pointerTo('/target/constraints', name);
      if (FIELD_CONSTRAINTS.includes(name))
        return isNameList(value) ? [] : [found(pointer, 'It must be a list of names.')];
      const registered = policy?.policy.constraints ?? {};
      const own = Object.hasOwn(registered, name) ? registered[name] : undefined;
      if (own === undefined) return [found(pointer, 'Nobody knows how to hold this constraint.')];
      return tools.schemas.errors(own.value, value).length === 0
        ? []
        : [found(pointer, 'It is not what the policy says that it must be.')];
    }),
};

import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-124');

/** parameters hold to the constraints that the policy registers. */
export const constraintHolds: Rule = {
  code: 'K-PROP-124',
  title: 'parameters hold to the constraints that the policy registers',
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
              found(`/parameters${path}`, 'It breaks a constraint that the policy registers.'),
            )
        : [],
    );
  },
};

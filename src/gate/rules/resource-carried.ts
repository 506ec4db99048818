import { isKernelRequest } from '../kernel-request.ts';
import { parameterEnvironment, parameterName } from '../permit/parameters.ts';
import { pointerTo, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-129');

const RESOURCE_ID = parameterName('resource_id');

/**
 * A parameter `resource_id`, however its letters are written, is the target's: rules of the policy and approvers judge the
 * target, and the step gets the parameter. Of a KernelRequest the policy itself says what the target is.
 */
export const resourceCarried: Rule = {
  code: 'K-PROP-129',
  title: 'A parameter resource_id is the resource_id of the target',
  check: ({ reading, fields: { parameters = {} }, parts: { target } }) => {
    if (target.resource_id === undefined || isKernelRequest(reading.value ?? {})) return [];
    return Object.entries(parameters)
      .filter(([key]) => parameterName(key) === RESOURCE_ID)
      .filter(
        ([key, value]) =>
          !Object.values(parameterEnvironment({ [key]: value })).includes(target.resource_id!),
      )
      .map(([key]) => found(pointerTo('/parameters', key), 'It differs from the resource_id of the target.'));
  },
};

import { jsonEqual } from '../../proof/json-equal.ts';
import { isKernelRequest } from '../kernel-request.ts';
import { parameterEnvironment, parameterName } from '../permit/parameters.ts';
import { pointerTo, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const misfit = violations('K-PROP-117');

export const parametersSchema: Rule = {
  code: 'K-PROP-117',
  title: 'parameters satisfy the parameters_schema of the template',
  check: ({ fields: { parameters }, guarded: { template }, tools }) => {
    const schema = template.parameters_schema;
    if (parameters === undefined || schema === undefined) return [];
    return tools.schemas
      .errors(schema, parameters)
      .map(({ path, keyword }) =>
        misfit(
          `/parameters${path}`,
          `It violates the parameters_schema of the template (${plain(keyword)}).`,
        ),
      );
  },
};

/** A keyword of JSON Schema; a word that the schema's author made up never gets into a message. */
function plain(keyword: string): string {
  return /^[$A-Za-z]{1,32}$/.test(keyword) ? keyword : 'a keyword';
}

const lost = violations('K-PROP-118');

export const parametersCarried: Rule = {
  code: 'K-PROP-118',
  title: 'parameters reach the step unchanged: as variables of a command, as arguments of a tool',
  check: ({ fields: { parameters }, guarded: { demand } }) => {
    if (parameters === undefined) return [];
    if (demand.type === 'mcp') {
      const declared = demand.mcp.arguments;
      return declared === undefined || jsonEqual(declared, parameters)
        ? []
        : [lost('/parameters', 'They differ from the arguments of the step.')];
    }
    return demand.type === 'shell' ? variableProblems(parameters) : [];
  },
};

function variableProblems(parameters: Record<string, unknown>): Violation[] {
  const taken = new Set<string>();
  return Object.entries(parameters).flatMap(([key, value]) => {
    const name = parameterName(key);
    const pointer = pointerTo('/parameters', key);
    if (name === null || taken.has(name))
      return [
        lost(pointer, 'Its key cannot become a variable: use letters, digits and _, without a digit first.'),
      ];
    taken.add(name);
    return typeof value === 'string' && value.includes('\0')
      ? [lost(pointer, 'A variable cannot contain NUL.')]
      : [];
  });
}

const otherResource = violations('K-PROP-129');

const RESOURCE_ID = parameterName('resource_id');

/**
 * A parameter `resource_id`, in any spelling of its letters, must equal the target, because policy rules and
 * approvers judge the target, but the step gets the parameter. For a KernelRequest the policy itself defines
 * the target.
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
      .map(([key]) =>
        otherResource(pointerTo('/parameters', key), 'It differs from the resource_id of the target.'),
      );
  },
};

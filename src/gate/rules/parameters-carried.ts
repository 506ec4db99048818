import { jsonEqual } from '../../proof/json-equal.ts';
import { parameterName } from '../permit/parameters.ts';
import { pointerTo, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-118');

/** parameters reach the step as they are: as variables of a command, as arguments of a tool. */
export const parametersCarried: Rule = {
  code: 'K-PROP-118',
  title: 'parameters reach the step as they are: as variables of a command, as arguments of a tool',
  check: ({ fields: { parameters }, guarded: { demand } }) => {
    if (parameters === undefined) return [];
    if (demand.type === 'mcp') {
      const declared = demand.mcp.arguments;
      return declared === undefined || jsonEqual(declared, parameters)
        ? []
        : [found('/parameters', 'They differ from the arguments of the step.')];
    }
    return demand.type === 'shell' ? variables(parameters) : [];
  },
};

function variables(parameters: Record<string, unknown>): Violation[] {
  const taken = new Set<string>();
  return Object.entries(parameters).flatMap(([key, value]) => {
    const name = parameterName(key);
    const pointer = pointerTo('/parameters', key);
    if (name === null || taken.has(name))
      return [found(pointer, 'Its key makes no variable of its own: letters, digits and _, no digit first.')];
    taken.add(name);
    return typeof value === 'string' && value.includes('\0')
      ? [found(pointer, 'A variable cannot hold a NUL.')]
      : [];
  });
}

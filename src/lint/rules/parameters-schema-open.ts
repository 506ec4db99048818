import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const parametersSchemaOpen: LintRule = {
  id: 'parameters-schema-open',
  family: 'proposal',
  severity: 'info',
  summary: 'The schema of parameters is closed.',
  why: 'What the schema does not name may be added. A parameter becomes a variable of the command or an argument of the tool, and one that the author did not think of may be read by a program that the command calls.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const given = template.parameters_schema;
      if (given === undefined || typeof given.properties !== 'object' || isClosed(given)) continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'parameters_schema']),
        reason:
          'Parameters that this schema does not name may be added. Add "additionalProperties": false to it.',
      });
    }
  },
};

function isClosed({ additionalProperties, unevaluatedProperties }: Record<string, unknown>): boolean {
  return (additionalProperties ?? true) !== true || (unevaluatedProperties ?? true) !== true;
}

import type { LintRule } from '../rule.ts';
import { gatedExample } from './support/example.ts';
import { gatedSteps } from './support/templates.ts';
import { nearestPlace } from './support/written.ts';

const schema = (more: object) => ({
  parameters_schema: { type: 'object', properties: { table: { type: 'string' } }, ...more },
});
const CMD = 'migrate "$KAIROS_PARAM_TABLE"';

/** Schemas that let an agent or user add parameters. */
export const parametersSchemaOpen: LintRule = {
  id: 'parameters-schema-open',
  family: 'proposal',
  severity: 'info',
  summary: 'The schema of parameters is closed.',
  why: 'What the schema does not name may be added. A parameter becomes a variable of the command or an argument of the tool, and one that the author did not think of may be read by a program that the command calls.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'Any other parameter may be added',
        source: gatedExample(schema({}), CMD),
        findings: [
          {
            line: 24,
            column: 256,
            reason:
              'Parameters that this schema does not name may be added. Add "additionalProperties": false to it.',
          },
        ],
      },
      {
        title: 'A closed schema',
        source: gatedExample(schema({ additionalProperties: false }), CMD),
        findings: [],
      },
    ];
  },
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

import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const parametersSchemaNotObject: LintRule = {
  id: 'parameters-schema-not-object',
  family: 'proposal',
  severity: 'error',
  summary: 'The schema of parameters describes an object.',
  why: 'The parameters of a proposal are one object of names and values. A schema of any other type refuses all of them; one without type and properties accepts all of them, which is as good as none.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const schema = template.parameters_schema;
      if (schema === undefined || schema.type === 'object' || refersElsewhere(schema)) continue;
      const asked = schema.type === undefined ? 'nothing of the kind' : JSON.stringify(schema.type);
      context.report({
        place: nearestPlace(context, block, ['proposal', 'parameters_schema']),
        reason: `Parameters are an object, but this schema asks for ${asked}. Write "type": "object" with the names under "properties".`,
      });
    }
  },
};

function refersElsewhere(schema: Record<string, unknown>): boolean {
  return (
    ['$ref', 'allOf', 'anyOf', 'oneOf', 'properties'].some((key) => key in schema) &&
    schema.type === undefined
  );
}

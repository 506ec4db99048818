import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-117');

/** parameters satisfy the parameters_schema of the template. */
export const parametersSchema: Rule = {
  code: 'K-PROP-117',
  title: 'parameters satisfy the parameters_schema of the template',
  check: ({ fields: { parameters }, guarded: { template }, tools }) => {
    const schema = template.parameters_schema;
    if (parameters === undefined || schema === undefined) return [];
    return tools.schemas
      .errors(schema, parameters)
      .map(({ path, keyword }) =>
        found(`/parameters${path}`, `It violates the parameters_schema of the template (${plain(keyword)}).`),
      );
  },
};

/** A keyword of JSON Schema; of a schema that brings words of its own, nothing gets into a message. */
function plain(keyword: string): string {
  return /^[$A-Za-z]{1,32}$/.test(keyword) ? keyword : 'a keyword';
}

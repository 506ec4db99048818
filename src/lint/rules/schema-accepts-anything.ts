import type { BlockNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const schemaAcceptsAnything: LintRule = {
  id: 'schema-accepts-anything',
  family: 'block',
  severity: 'warning',
  summary: 'A JSON Schema refuses something.',
  why: 'An empty schema, or one that only requires "an object", looks like a check and lets every answer pass. Required members and their types make an answer wrong.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null) continue;
      for (const { schema, path } of schemasOf(block)) {
        if (schema === undefined || !isOpen(schema)) continue;
        context.report({
          place: nearestPlace(context, block, path),
          reason:
            'This schema accepts every value that can be expected here, so it checks nothing. Name the required members and their types.',
        });
      }
    }
  },
};

function schemasOf({
  value,
}: BlockNode): { schema: Record<string, unknown> | undefined; path: (string | number)[] }[] {
  const { proof_of_work: proof, outputs = [], sampling } = value;
  const found: ReturnType<typeof schemasOf> = outputs.map(({ schema }, at) => ({
    schema,
    path: ['outputs', at, 'schema'],
  }));
  if (proof?.type === 'mcp')
    found.push({ schema: proof.mcp.result_schema, path: ['proof_of_work', 'mcp', 'result_schema'] });
  if (sampling !== undefined)
    found.push({ schema: sampling.output_schema, path: ['sampling', 'output_schema'] });
  return found;
}

const REMARKS = new Set(['$schema', '$id', '$comment', 'title', 'description', 'examples', 'default']);

function isOpen(schema: Record<string, unknown>): boolean {
  return Object.entries(schema).every(
    ([key, value]) => REMARKS.has(key) || (key === 'type' && value === 'object') || isOpenMember(key, value),
  );
}

/** `properties: {}`, `additionalProperties: true`. */
function isOpenMember(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === true;
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return ['properties', 'required', 'additionalProperties'].includes(key) && isEmpty;
}

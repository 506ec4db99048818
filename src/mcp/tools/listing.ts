import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import type { Tool } from './tool.ts';

/** A tool as `tools/list` shows it. */
export function listing({ name, title, description, hints, input, parameters, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: toolSchema(input, 'input', parameters) as ListedTool['inputSchema'],
    outputSchema: toolSchema(output, 'output') as ListedTool['outputSchema'],
    annotations: { title, ...hints },
  };
}

type JsonSchema = { [key: string]: unknown };

/**
 * The JSON Schema (2020-12) of a tool's input or output, without what only costs a client's context: the dialect's
 * name, bounds that every integer has, and unions where a list of types says the same.
 */
function toolSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  parameters: Record<string, string> = {},
): JsonSchema {
  const { $schema, ...root } = compact(z.toJSONSchema(schema, { io })) as JsonSchema;
  const properties = (root.properties ?? {}) as Record<string, JsonSchema>;
  for (const [name, description] of Object.entries(parameters)) {
    properties[name] = { ...properties[name], description };
  }
  return root;
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => !saysNothing(key, item))
    .map(([key, item]) => [key, compact(item)] as const);
  return nullable(Object.fromEntries(entries));
}

function saysNothing(key: string, value: unknown): boolean {
  return (
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    // Every key is a string, and what may be anything need not be said to.
    (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') ||
    (key === 'additionalProperties' && JSON.stringify(value) === '{}')
  );
}

/** `anyOf: [X, null]` as X with null among its types. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [main, other] = anyOf as [JsonSchema, JsonSchema];
  if (other.type !== 'null' || typeof main.type !== 'string') return schema;
  return {
    ...rest,
    ...main,
    type: [main.type, 'null'],
    ...(Array.isArray(main.enum) ? { enum: [...main.enum, null] } : {}),
  };
}

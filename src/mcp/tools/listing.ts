import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import type { Tool } from './tool.ts';

/** A tool as `tools/list` shows it. */
export function listing(tool: Tool, { execute }: { execute: boolean }): ListedTool {
  const { name, title, description, hints, input, parameters, output, shapes = {} } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(input, parameters, shapes) as ListedTool['inputSchema'],
    outputSchema: outputSchema(output) as ListedTool['outputSchema'],
    // Unattended clients reject a tool that may act anywhere.
    annotations: { title, ...hints, openWorldHint: execute && tool.executes === true },
  };
}

type JsonSchema = { [key: string]: unknown };

/** Keywords that strict clients refuse. The operation checks them, and the description names them for models. */
const REFUSED = [
  'const',
  'default',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
];

/** The schema of a tool's arguments: every property has a type, and no keyword is one that a known client refuses. */
function inputSchema(
  schema: z.ZodMiniType,
  parameters: Record<string, string>,
  shapes: Record<string, z.ZodMiniType>,
): JsonSchema {
  const root = toolSchema(schema, 'input');
  const properties = Object.entries((root.properties ?? {}) as Record<string, JsonSchema>);
  return {
    ...root,
    properties: Object.fromEntries(
      properties.map(([name, property]) => {
        const shape = shapes[name];
        const typed = shape === undefined ? property : open(toolSchema(shape, 'input'));
        const described = name in parameters ? { ...typed, description: parameters[name] } : typed;
        return [name, plain(described)];
      }),
    ),
  };
}

/** Without the refused keywords. What may be anything is an object: clients without a type guess, or load no tool. */
function plain(schema: JsonSchema): JsonSchema {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !REFUSED.includes(key)));
  const { items, properties } = kept as { items?: JsonSchema; properties?: Record<string, JsonSchema> };
  return {
    ...(kept.type === undefined ? { type: 'object' } : {}),
    ...kept,
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, plain(property)]),
          ),
        }),
  };
}

/**
 * The schema of a tool's result. A strict client refuses a list of types or a union, and with it all tools, so a property
 * that may be null is named in the description only, and objects are open.
 */
function outputSchema(schema: z.ZodMiniType): JsonSchema {
  return open(toolSchema(schema, 'output'));
}

function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _, description: __, ...rest } = schema;
  const { items, properties, required } = rest as {
    items?: JsonSchema;
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const typed = Object.entries(properties ?? {}).filter(([, property]) => !isNullable(property));
  const untyped = Object.entries(properties ?? {}).flatMap(([name, property]) =>
    isNullable(property) ? [name] : [],
  );
  return {
    ...plain(rest),
    ...(items === undefined ? {} : { items: open(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(typed.map(([name, property]) => [name, open(property)])) }),
    ...(required === undefined ? {} : { required: required.filter((name) => !untyped.includes(name)) }),
    ...(untyped.length === 0 ? {} : { description: `Also, each a value or null: ${untyped.join(', ')}.` }),
  };
}

function isNullable({ anyOf, type }: JsonSchema): boolean {
  if (Array.isArray(type)) return type.includes('null');
  return Array.isArray(anyOf) && anyOf.some((part: JsonSchema) => part.type === 'null');
}

/**
 * The JSON Schema (2020-12) of a tool's input or output, without parts that only cost a client's context: the
 * dialect's name, and bounds that every integer has.
 */
function toolSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...root } = compact(z.toJSONSchema(schema, { io })) as JsonSchema;
  return root;
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => !saysNothing(key, item))
    .map(([key, item]) => [key, compact(item)] as const);
  return Object.fromEntries(entries);
}

function saysNothing(key: string, value: unknown): boolean {
  return (
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    // Every key is a string, and an unrestricted value needs no schema.
    (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') ||
    (key === 'additionalProperties' && JSON.stringify(value) === '{}')
  );
}

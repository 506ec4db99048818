import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import { deleteTool, dumpTool, mintTool, searchTool, spacesTool, updateTool } from './protocols.ts';
import type { Tool } from './tool.ts';
import { attestTool, beginTool, nextTool, proposeTool } from './walk.ts';

/** Every tool, in the order in which they are used. A new one is added to the file of its kind and in a line here; at most ten. */
const TOOLS: readonly Tool[] = [
  searchTool,
  beginTool,
  nextTool,
  attestTool,
  proposeTool,
  mintTool,
  updateTool,
  deleteTool,
  dumpTool,
  spacesTool,
];

/** The tools that a server offers. */
export function toolsFor({ readOnly }: { readOnly: boolean }): readonly Tool[] {
  return readOnly ? TOOLS.filter(({ changesProtocols }) => !changesProtocols) : TOOLS;
}

/** The most that Claude Code grants. A longer result becomes a file that its model may not read. */
const MAX_RESULT_CHARS = 500_000;

/**
 * A tool as `tools/list` shows it. It has no schema of the result, which costs as much context as all the rest, and strict
 * clients refuse a result that may be null in places.
 */
export function listing(tool: Tool, { execute }: { execute: boolean }): ListedTool {
  const { name, description, hints, input, parameters, shapes = {}, hasText = false } = tool;
  return {
    name,
    description,
    inputSchema: inputSchema(input, parameters, shapes) as ListedTool['inputSchema'],
    // Unattended clients reject a tool that may act anywhere.
    annotations: { ...hints, openWorldHint: execute && tool.executes === true },
    ...(hasText ? { _meta: { 'anthropic/maxResultSizeChars': MAX_RESULT_CHARS } } : {}),
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
  // Unknown names are refused by the operation, with the name that was meant.
  'additionalProperties',
  '$schema',
];

/** The schema of a tool's arguments: every property has a type, and no keyword is one that a known client refuses. */
function inputSchema(
  schema: z.ZodMiniType,
  parameters: Record<string, string>,
  shapes: Record<string, z.ZodMiniType>,
): JsonSchema {
  const {
    $schema: _,
    additionalProperties: __,
    ...root
  } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  const properties = Object.entries((root.properties ?? {}) as Record<string, JsonSchema>);
  return {
    ...root,
    properties: Object.fromEntries(
      properties.map(([name, property]) => {
        const shape = shapes[name];
        const listed = plain(
          shape === undefined ? property : (z.toJSONSchema(shape, { io: 'input' }) as JsonSchema),
        );
        return [name, name in parameters ? { ...listed, description: parameters[name] } : listed];
      }),
    ),
  };
}

/**
 * Without the refused keywords. What may be anything is JSON text: of an object without properties Gemini refuses the tool, and
 * OpenAI's strict mode lets a model send only `{}`.
 */
function plain(schema: JsonSchema): JsonSchema {
  const { items, properties } = schema as { items?: JsonSchema; properties?: Record<string, JsonSchema> };
  if (schema.type === undefined || (schema.type === 'object' && properties === undefined))
    return { type: 'string' };
  const kept = Object.entries(schema).filter(([key]) => !REFUSED.includes(key));
  return {
    ...Object.fromEntries(kept),
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plain(one)])),
        }),
  };
}

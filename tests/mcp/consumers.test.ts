import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/mcp/server/read-arguments.ts';
import { listing, toolsFor } from '../../src/mcp/tools/index.ts';
import { parseInput } from '../../src/operations/input.ts';

/** Every tool, as the strictest known consumers translate it for their model: none is refused, and nothing is lost. */
const tools = toolsFor({ readOnly: false });

interface Schema {
  type?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  additionalProperties?: unknown;
  [keyword: string]: unknown;
}
/** A schema as the consumer hands it on. Throws for one that it refuses. */
type Translate = (schema: Schema) => Schema;

const CONSUMERS: Record<string, Translate> = {
  /** Strict function calling: objects are closed, every property is required, few keywords are known. */
  'OpenAI strict': each((schema) => {
    only(schema, ['type', 'description', 'properties', 'items', 'required', 'enum']);
    return schema.type === 'object'
      ? { ...schema, additionalProperties: false, required: Object.keys(schema.properties ?? {}) }
      : schema;
  }),
  /** The `Schema` of the Gemini and Vertex APIs: one type in capitals, no object without properties, no array without items. */
  Gemini: each((schema) => {
    only(schema, ['type', 'description', 'properties', 'items', 'required', 'enum']);
    if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0)
      throw new Error('properties: should be non-empty for OBJECT type');
    if (schema.type === 'array' && schema.items === undefined) throw new Error('items: missing field');
    if (schema.enum !== undefined && schema.type !== 'string') throw new Error('enum: only for STRING type');
    return schema;
  }),
  /** A grammar is made of the schema: each part needs one type, and free objects have no grammar. */
  Fireworks: each((schema) => {
    only(schema, ['type', 'description', 'properties', 'items', 'required', 'enum']);
    if (schema.type === 'object' && schema.properties === undefined) throw new Error('a free object');
    return schema;
  }),
  /** Strict tool use: closed objects, and property names of letters that the API takes. */
  Anthropic: each((schema) => {
    only(schema, ['type', 'description', 'properties', 'items', 'required', 'enum']);
    for (const name of Object.keys(schema.properties ?? {}))
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) throw new Error(`property key ${name}`);
    return schema.type === 'object' ? { ...schema, additionalProperties: false } : schema;
  }),
};

/** Applies a translation to a schema and all of its parts, each of which must have a single type. */
function each(translate: Translate): Translate {
  const all: Translate = (schema) => {
    if (typeof schema.type !== 'string') throw new Error(`no single type: ${JSON.stringify(schema)}`);
    for (const name of schema.required ?? [])
      if (schema.properties?.[name] === undefined) throw new Error(`required: ${name} is not defined`);
    const { items, properties, ...rest } = schema;
    return translate({
      ...rest,
      ...(items === undefined ? {} : { items: all(items) }),
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, all(one)])),
          }),
    });
  };
  return all;
}

function only(schema: Schema, keywords: string[]): void {
  const other = Object.keys(schema).filter((keyword) => !keywords.includes(keyword));
  if (other.length > 0) throw new Error(`keywords: ${other.join(', ')}`);
}

/** Whatever a model can be asked to give, by path. */
function paths({ properties = {}, items }: Schema, at = ''): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [
    `${at}${name}`,
    ...paths(schema, `${at}${name}.`),
  ]);
  return items === undefined ? own : [...own, ...paths(items, `${at}[].`)];
}

/** A call with every argument, as a model fills a schema in which all is required. */
function filled(schema: Schema): unknown {
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, one]) => [name, filled(one)]),
    );
  if (schema.type === 'array') return [filled(schema.items!)];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  return schema.enum?.[0] ?? '';
}

describe.each(Object.entries(CONSUMERS))('for %s', (_name, translate) => {
  it.each(tools)('$name is neither refused nor cut', (tool) => {
    const { name, inputSchema } = listing(tool, { execute: false });
    // With the prefix that clients put before it.
    expect(`mcp__kairos__${name}`).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/);
    const translated = translate(inputSchema as Schema);
    expect(paths(translated)).toEqual(paths(inputSchema as Schema));
    const { shape } = tool.input._zod.def as unknown as { shape: object };
    expect(Object.keys(translated.properties!).sort()).toEqual(Object.keys(shape).sort());
    const check = new Ajv2020({ strict: true }).compile(translated);
    const call = filled(translated);
    expect(check(call), JSON.stringify(check.errors)).toBe(true);
    // Text that is required may be missing then; nothing else is wrong with such a call.
    try {
      parseInput(tool.input, readArguments(tool.input, call));
    } catch (error) {
      expect((error as Error).message).toMatch(/^\S+: (is missing|must be at least 1 items long)/);
    }
  });
});

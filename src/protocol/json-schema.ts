import * as z from 'zod/mini';
import { KEY_DOCS } from './key-docs.ts';
import { frontmatterSchema, holdListSchema, stepBlockSchema } from './schema.ts';

export type JsonSchema = Record<string, unknown>;

/** JSON Schema 2020-12 of a step block as authors write it, made from the schema that validates it. */
export function stepBlockJsonSchema(): JsonSchema {
  return {
    title: 'kairos step block',
    description: 'What a step of a protocol demands: the last fenced json or yaml block of the step.',
    ...(described(
      z.toJSONSchema(stepBlockSchema, { target: 'draft-2020-12', io: 'input' }),
      'block',
    ) as JsonSchema),
  };
}

/** JSON Schema 2020-12 of a protocol's frontmatter. Keys of other tools are allowed. */
export function frontmatterJsonSchema(): JsonSchema {
  return {
    title: 'kairos frontmatter',
    description: 'What kairos reads of a YAML frontmatter. Other keys are kept and ignored.',
    ...(described(
      z.toJSONSchema(frontmatterSchema, { target: 'draft-2020-12', io: 'input' }),
      'frontmatter',
    ) as JsonSchema),
  };
}

/** JSON Schema 2020-12 of `hold.yaml`. */
export function holdJsonSchema(): JsonSchema {
  return {
    title: 'kairos hold list',
    description: 'hold.yaml: calls of an agent that wait for a step of a protocol.',
    ...(described(
      z.toJSONSchema(holdListSchema, { target: 'draft-2020-12', io: 'input' }),
      'list',
    ) as JsonSchema),
  };
}

/**
 * Returns a schema with a description for every property: its own, or the one of `KEY_DOCS`. `name` is the key of the schema's
 * value. Throws when a description is missing.
 */
export function described(schema: unknown, name: string): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each) => described(each, name));
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key !== 'properties') return [key, BELOW.has(key) ? described(value, name) : value];
      const properties = Object.entries(value as JsonSchema).map(([property, inner]) => [
        property,
        {
          description: (inner as JsonSchema).description ?? meaningOf(name, property),
          ...(described(inner, property) as JsonSchema),
        },
      ]);
      return [key, Object.fromEntries(properties)];
    }),
  );
}

/** Keywords whose schemas describe the same value, or its items. */
const BELOW = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']);

function meaningOf(name: string, key: string): string {
  const doc = KEY_DOCS[`${name}.${key}`];
  if (doc === undefined) throw new Error(`no description of the key ${name}.${key} in key-docs.ts`);
  return doc.meaning;
}

import { holdSchema, inputSchema, proposedHoldSchema, stepBlockSchema } from '../schema.ts';
import type { Field, Shape } from './shape.ts';

/** The part of a zod schema that a shape is computed from. */
interface Node {
  _zod: { def: Definition };
}
interface Definition {
  type: string;
  shape?: Record<string, Node>;
  innerType?: Node;
  element?: Node;
  options?: Node[];
  discriminator?: string;
  entries?: Record<string, string>;
  values?: string[];
  defaultValue?: unknown;
  format?: string;
  checks?: { _zod: { def: Check } }[];
}
interface Check {
  check: string;
  format?: string;
  minimum?: number;
  value?: number;
  inclusive?: boolean;
  pattern?: RegExp;
}

function shapeOf({ _zod: { def } }: Node): Shape {
  switch (def.type) {
    case 'object':
      return {
        kind: 'object',
        fields: Object.fromEntries(Object.entries(def.shape!).map(([key, node]) => [key, fieldOf(node)])),
      };
    case 'union':
      return choiceOf(def);
    case 'array':
      return checked({ kind: 'list', item: shapeOf(def.element!) }, def);
    case 'string':
      return checked({ kind: 'text' }, def);
    case 'number':
      return checked({ kind: 'number', ...formatOf(def) }, def);
    case 'boolean':
      return { kind: 'flag' };
    case 'literal':
      return { kind: 'word', words: def.values! };
    case 'enum':
      return { kind: 'word', words: Object.values(def.entries!) };
    case 'record':
      return { kind: 'mapping' };
    case 'lazy':
      return { kind: 'any' };
    default:
      throw new Error(`a shape can't express ${def.type}`);
  }
}

function fieldOf(node: Node): Field {
  const { type, innerType, defaultValue } = node._zod.def;
  if (type === 'optional') return { shape: shapeOf(innerType!), otherwise: 'absent' };
  if (type === 'default') return { shape: shapeOf(innerType!), otherwise: { value: defaultValue } };
  return { shape: shapeOf(node) };
}

function choiceOf({ discriminator, options }: Definition): Shape {
  if (discriminator === undefined) throw new Error("a shape can't express a union without a discriminator");
  const named = options!.map((option) => [
    option._zod.def.shape![discriminator]!._zod.def.values![0]!,
    shapeOf(option),
  ]);
  return { kind: 'choice', by: discriminator, options: Object.fromEntries(named) };
}

function checked<Checked extends Shape>(shape: Checked, { checks = [] }: Definition): Checked {
  return Object.assign(shape, ...checks.map(({ _zod }) => limit(_zod.def)));
}

function limit(check: Check): object {
  const { minimum, value, inclusive, pattern } = check;
  if (check.check === 'min_length') return { least: minimum };
  if (check.check === 'greater_than' && inclusive) return { least: value };
  if (check.check === 'less_than' && inclusive) return { most: value };
  if (check.check === 'string_format' && pattern !== undefined) return { pattern };
  if (check.check === 'number_format') return formatOf(check);
  throw new Error(`a shape can't express ${check.check}`);
}

function formatOf({ format }: Pick<Check, 'format'>): { isWhole?: true } {
  if (format === undefined) return {};
  if (format === 'safeint') return { isWhole: true };
  throw new Error(`a shape can't express numbers of the format ${format}`);
}

/**
 * What a step block may look like, computed from its schema. The build (scripts/block-shape.mjs) replaces this module by the
 * computed value, so that the built program reads blocks without loading zod.
 */
export const BLOCK_SHAPE: Shape = shapeOf(stepBlockSchema as unknown as Node);

/** What an input of a document may look like. */
export const INPUT_SHAPE: Shape = shapeOf(inputSchema as unknown as Node);

/** What a hold of a protocol may look like. */
export const PROPOSED_HOLD_SHAPE: Shape = shapeOf(proposedHoldSchema as unknown as Node);

/** What a hold of a list may look like. */
export const HOLD_SHAPE: Shape = shapeOf(holdSchema as unknown as Node);

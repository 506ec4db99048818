import { isObject } from '../../base/json.ts';

/**
 * The shape of values as plain data: the content of the step block schema, without its library.
 * `block-shape.ts` computes it from the schema, so that there is one source.
 */
export type Shape =
  | { kind: 'object'; fields: Record<string, Field> }
  /** One of several objects, chosen by a key. */
  | { kind: 'choice'; by: string; options: Record<string, Shape> }
  | { kind: 'list'; item: Shape; least?: number }
  | { kind: 'text'; least?: number; pattern?: RegExp }
  | { kind: 'number'; isWhole?: true; least?: number; most?: number }
  | { kind: 'flag' }
  | { kind: 'word'; words: readonly string[] }
  /** An object with foreign content. */
  | { kind: 'mapping' }
  | { kind: 'any' };

export interface Field {
  shape: Shape;
  /** Absent: the key must be there. */
  otherwise?: 'absent' | { value: unknown };
}

/**
 * A JSON value in its shape: a new object with defaults filled in, keys in the order of the shape. Undefined
 * for an invalid one. The schema knows the reason.
 */
export function readShape(shape: Shape, value: unknown): unknown {
  switch (shape.kind) {
    case 'object':
      return isObject(value) ? readObject(shape.fields, value) : undefined;
    case 'choice': {
      const name = isObject(value) ? value[shape.by] : undefined;
      if (typeof name !== 'string' || !Object.hasOwn(shape.options, name)) return undefined;
      return readShape(shape.options[name]!, value);
    }
    case 'list':
      return Array.isArray(value) ? readList(shape, value) : undefined;
    case 'mapping':
      return isObject(value) ? value : undefined;
    default:
      return holds(shape, value) ? value : undefined;
  }
}

function readObject(
  fields: Record<string, Field>,
  value: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const read: Record<string, unknown> = {};
  let known = 0;
  for (const key in fields) {
    const { shape, otherwise } = fields[key]!;
    if (!Object.hasOwn(value, key)) {
      if (otherwise === undefined) return undefined;
      if (otherwise !== 'absent') read[key] = structuredCopy(otherwise.value);
      continue;
    }
    known += 1;
    const inner = readShape(shape, value[key]);
    if (inner === undefined) return undefined;
    read[key] = inner;
  }
  return known === Object.keys(value).length ? read : undefined;
}

function structuredCopy(value: unknown): unknown {
  return isObject(value) ? { ...value } : value;
}

function readList(
  { item, least = 0 }: Extract<Shape, { kind: 'list' }>,
  value: unknown[],
): unknown[] | undefined {
  if (value.length < least) return undefined;
  const read: unknown[] = [];
  for (const one of value) {
    const inner = readShape(item, one);
    if (inner === undefined) return undefined;
    read.push(inner);
  }
  return read;
}

type Leaf = Exclude<Shape, { kind: 'object' | 'choice' | 'list' | 'mapping' }>;

function holds(shape: Leaf, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return (
        typeof value === 'string' &&
        value.length >= (shape.least ?? 0) &&
        (shape.pattern === undefined || shape.pattern.test(value))
      );
    case 'number':
      return (
        typeof value === 'number' &&
        (shape.isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        value >= (shape.least ?? value) &&
        value <= (shape.most ?? value)
      );
    case 'flag':
      return typeof value === 'boolean';
    case 'word':
      return typeof value === 'string' && shape.words.includes(value);
    default:
      return true;
  }
}

import * as z from 'zod/mini';
import { stepBlockSchema } from '../../protocol/schema.ts';

/** The part of a JSON Schema that defines the order of keys. */
interface Shape {
  properties?: Record<string, Shape>;
  items?: Shape;
  oneOf?: Shape[];
  const?: unknown;
}

let blockShape: Shape | null = null;

/**
 * The keys of an object inside a step block in the order of the schema; null where the keys belong to the
 * author (tool arguments, JSON Schemas) and stay unchanged.
 */
export function keyOrder(root: unknown, path: readonly (string | number)[]): readonly string[] | null {
  blockShape ??= z.toJSONSchema(stepBlockSchema, { io: 'input' }) as Shape;
  let shape = chosen(blockShape, root);
  let value = root;
  for (const part of path) {
    value = (value as Record<string | number, unknown> | undefined)?.[part];
    shape = chosen(typeof part === 'number' ? shape?.items : shape?.properties?.[part], value);
  }
  return shape?.properties === undefined ? null : Object.keys(shape.properties);
}

/** Keys that mean the same when they are left out with this value. Not the time limit, which lint asks for. */
export const DEFAULTS: readonly (readonly [path: readonly string[], fallback: unknown])[] = [
  [['proof_of_work', 'required'], true],
  [['proof_of_work', 'shell', 'expect_exit_code'], 0],
];

/** Sorts keys by an order; unknown ones come last, in their old order. */
export function orderKeys(keys: readonly string[], order: readonly string[]): string[] {
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  return keys.toSorted((a, b) => rank(a) - rank(b));
}

/** Of several shapes the one whose `type` is the value's. */
function chosen(shape: Shape | undefined, value: unknown): Shape | undefined {
  if (shape?.oneOf === undefined) return shape;
  const type = (value as { type?: unknown } | undefined)?.type;
  return shape.oneOf.find(({ properties }) => properties?.type?.const === type);
}

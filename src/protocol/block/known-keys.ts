import { BLOCK_SHAPE } from './block-shape.ts';
import type { Shape } from './shape.ts';
import { isObject, type Path } from './value.ts';

/** The keys that the object at a path of a step block may have; none where any are allowed. */
export function knownKeys(block: unknown, path: Path): string[] {
  let shape: Shape | undefined = BLOCK_SHAPE;
  let value: unknown = block;
  for (const part of path) {
    shape = partOf(resolved(shape, value), part);
    if (shape === undefined) return [];
    value =
      isObject(value) || Array.isArray(value) ? (value as Record<string | number, unknown>)[part] : undefined;
  }
  const found = resolved(shape, value);
  return found.kind === 'object' ? Object.keys(found.fields) : [];
}

function partOf(shape: Shape, part: string | number): Shape | undefined {
  if (shape.kind === 'list') return typeof part === 'number' ? shape.item : undefined;
  return shape.kind === 'object' ? shape.fields[part]?.shape : undefined;
}

/** Of several objects, the one that the value names. */
function resolved(shape: Shape, value: unknown): Shape {
  if (shape.kind !== 'choice') return shape;
  const name = isObject(value) ? value[shape.by] : undefined;
  return shape.options[String(name)] ?? shape;
}

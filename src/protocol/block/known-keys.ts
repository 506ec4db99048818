import { stepBlockSchema } from '../schema.ts';
import { isObject, type Path } from './value.ts';

/** What is looked at of a zod schema. */
interface SchemaNode {
  _zod: {
    def: {
      type: string;
      shape?: Record<string, SchemaNode>;
      innerType?: SchemaNode;
      element?: SchemaNode;
      options?: SchemaNode[];
      values?: unknown[];
    };
  };
}

/** The keys that the object at a path of a step block may have; none where any are allowed. */
export function knownKeys(block: unknown, path: Path): string[] {
  let node: SchemaNode | undefined = stepBlockSchema as unknown as SchemaNode;
  let value: unknown = block;
  for (const part of path) {
    const def: SchemaNode['_zod']['def'] = resolved(node, value)._zod.def;
    node = typeof part === 'number' ? def.element : def.shape?.[part];
    if (node === undefined) return [];
    value =
      isObject(value) || Array.isArray(value) ? (value as Record<string | number, unknown>)[part] : undefined;
  }
  return Object.keys(resolved(node, value)._zod.def.shape ?? {});
}

/** Without wrappers for what may be absent; of a union, the option that the value's `type` names. */
function resolved(node: SchemaNode, value: unknown): SchemaNode {
  const { def } = node._zod;
  if (def.innerType !== undefined) return resolved(def.innerType, value);
  if (def.options === undefined) return node;
  const type = isObject(value) ? value.type : undefined;
  return def.options.find((option) => option._zod.def.shape?.type?._zod.def.values?.includes(type)) ?? node;
}

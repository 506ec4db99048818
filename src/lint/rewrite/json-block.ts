import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Modern } from '../../protocol/block/modernise.ts';
import { isObject, type Path } from '../../protocol/block/value.ts';
import { inOrder, keyOrder } from './key-order.ts';

/**
 * A step block in JSON in its canonical form: current spelling, keys in the order of the schema, two spaces
 * for each level. Strings and numbers stay letter by letter, so that an escape still hides its character.
 */
export function formatJsonBlock(text: string, modern: Modern): string {
  const tree = parseTree(text)!;
  return print(modern.value, [], '');

  function print(value: unknown, path: Path, margin: string): string {
    const node = written(path, value);
    const inner = `${margin}  `;
    if (Array.isArray(value)) {
      const items = value.map((item, at) => `${inner}${print(item, [...path, at], inner)}`);
      return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${margin}]`;
    }
    if (!isObject(value)) return node === undefined ? JSON.stringify(value) : slice(node);
    const members = keysOf(value, path, node).map(
      (key) => `${inner}${writtenKey(node, key)}: ${print(value[key], [...path, key], inner)}`,
    );
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${margin}}`;
  }

  function keysOf(value: Record<string, unknown>, path: Path, node: Node | undefined): string[] {
    const order = keyOrder(modern.value, path);
    if (order !== null) return inOrder(Object.keys(value), order);
    // As written: an object of JavaScript puts keys like "10" first.
    return node?.children?.map(({ children }) => children![0]!.value as string) ?? Object.keys(value);
  }

  /** The node in which a value was written; undefined for what an older spelling left out. */
  function written(path: Path, value: unknown): Node | undefined {
    const node = findNodeAtLocation(tree, [...modern.original(path)]);
    const type = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : null;
    if (node === undefined) return undefined;
    if (type === null) return node.value === value ? node : undefined;
    return node.type === type ? node : undefined;
  }

  function writtenKey(node: Node | undefined, key: string): string {
    const member = node?.children?.find(({ children }) => children?.[0]?.value === key);
    return member === undefined ? JSON.stringify(key) : slice(member.children![0]!);
  }

  function slice({ offset, length }: Node): string {
    return text.slice(offset, offset + length);
  }
}

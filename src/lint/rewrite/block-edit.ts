import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Plugin } from 'prettier';
import { isObject } from '../../base/json.ts';
import { memoize } from '../../base/memoize.ts';
import { type Path, valueAt } from '../../protocol/block/value.ts';
import { type Modern, modernise } from '../../protocol/legacy/modernise.ts';
import type { BlockNode } from '../../protocol/model.ts';
import { shorthandOf } from '../../protocol/render.ts';
import type { Fix } from '../message.ts';
import { DEFAULTS, formatYamlBlock, keyOrder, orderKeys } from './yaml-block.ts';

/**
 * Returns the edit that formats a readable step block: keys in the order of the schema, then Prettier's layout. In a shorthand
 * block it formats the first line. It never changes full form to shorthand or back. Null: a proof line has no canonical form.
 */
export async function blockEdit(source: string, block: BlockNode): Promise<Fix | null> {
  if (block.format === 'shorthand') return openingEdit(source, block);
  if (block.format === 'line' || !isObject(block.raw)) return null;
  const { start, end } = block.valuePlace;
  const margin = marginOf(source, block);
  const text = withoutMargin(source.slice(start.offset, end.offset), margin);
  const replacement = (await formatBlock(text, block.format, block.raw))
    .split('\n')
    .map((line) => (line === '' ? '' : margin + line))
    .join('\n');
  return { range: [start.offset, end.offset], replacement, safe: true };
}

/** Formats the first line of a shorthand fence: words in order, in their shortest spelling, without defaults. Keeps a written timeout. */
function openingEdit(source: string, { value, raw, place, valuePlace }: BlockNode): Fix | null {
  const info = shorthandOf(value)?.info;
  const [opening, fence = '', written = ''] =
    /^([`~]{3,}[ \t]*)([^\r\n]*)/.exec(source.slice(place.start.offset, valuePlace.start.offset)) ?? [];
  if (opening === undefined || info === undefined) return null;
  const { shell } = (raw as { proof_of_work: { shell: object } }).proof_of_work;
  const words = info.split(' ').filter((word) => 'timeout_seconds' in shell || !word.startsWith('timeout='));
  const start = place.start.offset + fence.trimEnd().length;
  return {
    range: [start, start + fence.length - fence.trimEnd().length + written.length],
    replacement: words.join(' '),
    safe: true,
  };
}

async function formatBlock(
  text: string,
  format: 'json' | 'yaml',
  raw: Record<string, unknown>,
): Promise<string> {
  let modern = withoutDefaults(modernise(raw));
  if (format === 'json') return prettify(orderJson(text, modern), format);
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = await prettify(formatYamlBlock(before, modern), format);
    // Only a comment can move again after keys have moved.
    if (after === before || !after.includes('#')) return after;
    before = after;
    modern = withoutDefaults(modernise(modern.value as Record<string, unknown>));
  }
  return before;
}

const MAX_ROUNDS = 5;

/** A step block without what means the same left out: `required: true` and the exit code 0. */
function withoutDefaults(modern: Modern): Modern {
  const value = structuredClone(modern.value);
  for (const [path, fallback] of DEFAULTS) {
    const owner = valueAt(value, path.slice(0, -1));
    const key = path.at(-1)!;
    if (isObject(owner) && owner[key] === fallback) delete owner[key];
  }
  return { ...modern, value };
}

/** The indentation of the fence: CommonMark 4.5 removes the same from the lines inside. */
function marginOf(source: string, { place: { start } }: BlockNode): string {
  return source.slice(start.offset - (start.column - 1), start.offset);
}

function withoutMargin(text: string, margin: string): string {
  const spaces = new RegExp(`^ {0,${margin.length}}`);
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(spaces, ''))
    .join('\n');
}

/**
 * Lays out a text as Prettier does in a markdown document, with its default options. Returns the text unchanged where Prettier can't
 * read it. Memoized, because an editor formats the same blocks again and again.
 */
export function prettify(text: string, language: 'json' | 'yaml'): Promise<string> {
  return LAID_OUT[language](text);
}

const CACHED = 1_000_000;
const LAID_OUT = {
  json: memoize((text) => layOut(text, 'json'), CACHED),
  yaml: memoize((text) => layOut(text, 'yaml'), CACHED),
};

async function layOut(text: string, parser: 'json' | 'yaml'): Promise<string> {
  const { format } = await import('prettier/standalone');
  const plugins = await (parser === 'json'
    ? Promise.all([import('prettier/plugins/babel'), import('prettier/plugins/estree')])
    : Promise.all([import('prettier/plugins/yaml')]));
  try {
    const formatted = await format(text, { parser, plugins: plugins as unknown[] as Plugin[] });
    return formatted.replace(/\n+$/, '');
  } catch {
    return text;
  }
}

/**
 * A step block in JSON in today's spelling, with keys in the order of the schema. Strings stay letter by letter, so that an escape still
 * hides its character.
 */
function orderJson(text: string, modern: Modern): string {
  const tree = parseTree(text)!;
  return print(modern.value, []);

  function print(value: unknown, path: Path): string {
    const node = written(path, value);
    if (Array.isArray(value)) return `[${value.map((item, at) => print(item, [...path, at])).join(', ')}]`;
    if (!isObject(value)) return node === undefined ? JSON.stringify(value) : slice(node);
    const members = keysOf(value, path, node).map(
      (key) => `${writtenKey(node, key)}: ${print(value[key], [...path, key])}`,
    );
    // Prettier keeps a line for each key where the first one begins a line.
    return members.length === 0 ? '{}' : `{\n${members.join(', ')}}`;
  }

  function keysOf(value: Record<string, unknown>, path: Path, node: Node | undefined): string[] {
    const order = keyOrder(modern.value, path);
    if (order !== null) return orderKeys(Object.keys(value), order);
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

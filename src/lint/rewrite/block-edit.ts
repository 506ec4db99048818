import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Plugin } from 'prettier';
import { isObject } from '../../base/json.ts';
import { type Path, valueAt } from '../../protocol/block/value.ts';
import { type Modern, modernise } from '../../protocol/legacy/modernise.ts';
import type { BlockNode } from '../../protocol/model.ts';
import { shorthandOf } from '../../protocol/render.ts';
import type { Fix } from '../message.ts';
import { DEFAULTS, formatYamlBlock, keyOrder, orderKeys, simpleLayout } from './yaml-block.ts';

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
  if (format === 'json') return formatJsonBlock(text, modern, await widthsOf(text));
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = await prettify(formatYamlBlock(before, modern));
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

/** Formats YAML as Prettier does in a markdown document, with its default options. Returns the text unchanged where Prettier can't read it. */
export async function prettify(text: string): Promise<string> {
  const simple = simpleLayout(text);
  if (simple !== null) return simple;
  const { format } = await import('prettier/standalone');
  const yaml = await import('prettier/plugins/yaml');
  try {
    const formatted = await format(text, { parser: 'yaml', plugins: [yaml as unknown as Plugin] });
    return formatted.replace(/\n+$/, '');
  } catch {
    return text;
  }
}

/** A measure for the parts of a text, in columns as Prettier counts them. */
async function widthsOf(text: string): Promise<(part: string) => number> {
  if (/^[\n\r\t -~]*$/.test(text)) return (part) => part.length;
  // Prettier's own declarations leave it out here.
  const { util } = (await import('prettier/standalone')) as unknown as Pick<
    typeof import('prettier'),
    'util'
  >;
  return util.getStringWidth;
}

/**
 * A step block in JSON in its canonical form: current spelling, keys in the order of the schema, and the layout of Prettier, which
 * costs a hundred times as much. Strings stay letter by letter, so that an escape still hides its character.
 */
function formatJsonBlock(text: string, modern: Modern, widthOf: (part: string) => number): string {
  const tree = parseTree(text)!;
  return print(modern.value, [], { margin: '', column: 0, after: 0 });

  function print(value: unknown, path: Path, at: Spot): string {
    const node = written(path, value);
    const inner = `${at.margin}  `;
    const spot = (key: string, isLast: boolean): Spot => ({
      margin: inner,
      column: inner.length + widthOf(key),
      after: isLast ? 0 : 1,
    });
    if (Array.isArray(value)) {
      const items = value.map((item, index) =>
        print(item, [...path, index], spot('', index === value.length - 1)),
      );
      return layOutArray(value, items, at, widthOf);
    }
    if (!isObject(value)) {
      const literal = node === undefined ? JSON.stringify(value) : slice(node);
      return typeof value === 'number' ? shortNumber(literal) : literal;
    }
    const keys = keysOf(value, path, node);
    const members = keys.map((key, index) => {
      const label = `${writtenKey(node, key)}: `;
      return `${inner}${label}${print(value[key], [...path, key], spot(label, index === keys.length - 1))}`;
    });
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${at.margin}}`;
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

/** Where a value of JSON is printed: the indentation of its line, its first column, and the columns after it that belong to its line. */
interface Spot {
  margin: string;
  column: number;
  after: number;
}

const LINE_WIDTH = 80;

/** An array on one line where it has room. Numbers fill lines; anything else gets a line each, and so do arrays of several items. */
function layOutArray(
  value: readonly unknown[],
  items: readonly string[],
  { margin, column, after }: Spot,
  widthOf: (part: string) => number,
): string {
  const flat = `[${items.join(', ')}]`;
  const isGrid = value.length > 1 && value.every((item) => Array.isArray(item) && item.length > 1);
  const isFlat = !isGrid && !flat.includes('\n') && column + widthOf(flat) + after <= LINE_WIDTH;
  if (isFlat || items.length === 0) return flat;
  const inner = `${margin}  `;
  const lines: string[] = [];
  const areNumbers = value.length > 1 && value.every((item) => typeof item === 'number');
  for (const [at, item] of items.entries()) {
    const text = at === items.length - 1 ? item : `${item},`;
    const longer = `${lines.at(-1) ?? inner} ${text}`;
    if (areNumbers && at > 0 && longer.length <= LINE_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(inner + text);
  }
  return `[\n${lines.join('\n')}\n${margin}]`;
}

/** A number as Prettier spells it: `1E+05` as `1e5`, `1.50` as `1.5`. */
function shortNumber(literal: string): string {
  return literal
    .toLowerCase()
    .replace(/e(?:\+|(-))?0*(?=\d)/, 'e$1')
    .replace(/e-?0$/, '')
    .replace(/(\.\d+?)0+(?=e|$)/, '$1');
}

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
  type Tags,
  YAMLMap,
} from 'yaml';
import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import { valueAt } from '../../protocol/block/value.ts';
import type { Modern } from '../../protocol/legacy/modernise.ts';
import { frontmatterSchema, stepBlockSchema } from '../../protocol/schema.ts';

/** Where writing a text again would show characters that an escape hides. */
const ESCAPE = /\\[uUxNLP_0]/;

/**
 * A step block in YAML in its canonical form: current spelling, keys in the order of the schema, two spaces
 * for each level, with comments and the spelling of numbers kept. A block with escaped characters is left
 * unchanged, unless its spelling is an older one.
 */
export function formatYamlBlock(text: string, modern: Modern): string {
  if (ESCAPE.test(text) && modern.legacy.length === 0) return text;
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error', customTags: asWritten });
  const root = document.contents;
  if (!isMap(root)) return text;
  respell(document, root, modern);
  for (const [path, fallback] of DEFAULTS) dropDefault(root, path, fallback);
  sort(root, []);
  return document.toString({ lineWidth: 0, indent: 2 }).replace(/\n+$/, '');

  function sort(node: unknown, path: readonly (string | number)[]): void {
    if (isSeq(node)) for (const [at, item] of node.items.entries()) sort(item, [...path, at]);
    if (!isMap(node)) return;
    const order = keyOrder(modern.value, path);
    if (order !== null) reorder(node, order);
    for (const pair of node.items) sort(pair.value, [...path, keyOf(pair)]);
  }
}

/** Removes a key that means the same when it is left out, unless a comment explains it. */
function dropDefault(root: YAMLMap, path: readonly string[], fallback: unknown): void {
  const owner = root.getIn(path.slice(0, -1));
  if (!isMap(owner)) return;
  const at = owner.items.findIndex((pair) => keyOf(pair) === path.at(-1));
  const { key, value } = owner.items[at] ?? {};
  if (!isScalar(key) || !isScalar(value) || value.value !== fallback) return;
  const isExplained = [key.commentBefore, key.comment, value.commentBefore, value.comment].some(Boolean);
  if (!isExplained) owner.items.splice(at, 1);
}

/** Numbers stay as written: `0x1F`, `1e3` and `.5` show what their author meant. */
function asWritten(tags: Tags): Tags {
  return tags.map((tag) => {
    if (typeof tag === 'string' || tag.collection !== undefined || !NUMBER.test(tag.tag)) return tag;
    const { stringify } = tag;
    return {
      ...tag,
      stringify: (item, ctx, onComment, onChompKeep) =>
        item.source ?? stringify?.(item, ctx, onComment, onChompKeep) ?? String(item.value),
    };
  });
}

const NUMBER = /:(?:int|float)$/;

/** A comment before the first key belongs to that key, and goes where it goes. */
function reorder(map: YAMLMap, order: readonly string[]): void {
  const keys = map.items.map(keyOf);
  const sorted = orderKeys(keys, order);
  if (sorted.every((key, at) => key === keys[at])) return;
  const first = map.items[0]!.key;
  if (isScalar(first) && map.commentBefore) {
    first.commentBefore = map.commentBefore;
    map.commentBefore = null;
  }
  map.items = sorted.map((key) => map.items[keys.indexOf(key)]!);
  // No blank line before the first key.
  const top = map.items[0]!.key;
  if (isScalar(top)) top.spaceBefore = false;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** What `modernise` does to the value, done to the text's own nodes. */
function respell(document: Document, root: YAMLMap, { legacy, value }: Modern): void {
  for (const { code } of legacy) {
    const proof = root.get('proof_of_work');
    if (code === 'legacy-challenge-key') {
      const key = root.items.find((pair) => keyOf(pair) === 'challenge')?.key;
      if (isScalar(key)) key.value = 'proof_of_work';
    } else if (code === 'legacy-missing-type' && isMap(proof)) {
      proof.items.push(document.createPair('type', valueAt(value, ['proof_of_work', 'type'])));
    } else if (code === 'legacy-flat-shell' && isMap(proof)) nestShell(document, proof);
  }
}

function nestShell(document: Document, proof: YAMLMap): void {
  const isShells = (pair: Pair) => ['cmd', 'timeout_seconds'].includes(keyOf(pair));
  const shell = new YAMLMap();
  shell.items = proof.items.filter(isShells);
  proof.items = proof.items.filter((pair) => !isShells(pair));
  if (!proof.has('type')) proof.items.push(document.createPair('type', 'shell'));
  proof.items.push(document.createPair('shell', shell));
}

/**
 * The text between the fences of a frontmatter with its known keys first, in the order of the schema, and the
 * others after them unchanged. Whole lines move, each key with the comment right above it; nothing else
 * changes.
 */
export function orderFrontmatter(source: string): string {
  const text = source.replace(/\r\n?/g, '\n');
  const { contents, errors } = parseDocument(text, { logLevel: 'error' });
  if (!isMap(contents) || contents.flow || errors.length > 0) return source;
  const keys = contents.items.map(({ key }) =>
    isScalar(key) && typeof key.value === 'string' ? key.value : '',
  );
  const sorted = orderKeys(keys, Object.keys(frontmatterSchema.shape));
  if (sorted.every((key, at) => key === keys[at]) || new Set(keys).size < keys.length) return source;
  const lines = text.split('\n');
  const starts = contents.items.map(({ key }) => lineOf(lines, (key as Scalar).range![0]));
  // A key that doesn't begin its line (`? key`) can't move by whole lines.
  if (starts.includes(-1)) return source;
  const firsts = starts.map((line, at) => withComments(lines, line, at === 0 ? 0 : starts[at - 1]! + 1));
  const chunks = firsts.map((line, at) => lines.slice(line, firsts[at + 1] ?? lines.length));
  const moved = sorted.flatMap((key) => chunks[keys.indexOf(key)]!);
  const ordered = [...lines.slice(0, firsts[0]), ...moved].join('\n');
  return sameData(text, ordered) ? ordered : source;
}

/** The line that begins at an offset; -1 when none does. */
function lineOf(lines: readonly string[], offset: number): number {
  let at = 0;
  return lines.findIndex((line) => {
    const start = at;
    at += line.length + 1;
    return start === offset;
  });
}

function withComments(lines: readonly string[], line: number, lowest: number): number {
  let first = line;
  while (first > lowest && lines[first - 1]!.startsWith('#')) first -= 1;
  return first;
}

function sameData(before: string, after: string): boolean {
  const [a, b] = [before, after].map((text) => parseDocument(text, { logLevel: 'error' }));
  return b!.errors.length === 0 && canonical(a!.toJS()) === canonical(b!.toJS());
}

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

import { type Document, isMap, isScalar, isSeq, type Pair, parseDocument, type Tags, YAMLMap } from 'yaml';
import type { Modern } from '../../protocol/block/modernise.ts';
import { valueAt } from '../../protocol/block/value.ts';
import { inOrder, keyOrder } from './key-order.ts';

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
  const sorted = inOrder(keys, order);
  if (sorted.every((key, at) => key === keys[at])) return;
  const first = map.items[0]!.key;
  if (isScalar(first) && map.commentBefore) {
    first.commentBefore = map.commentBefore;
    map.commentBefore = null;
  }
  map.items = sorted.map((key) => map.items[keys.indexOf(key)]!);
  // A blank line before a key in the middle is none before the first one.
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

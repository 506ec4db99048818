import { isMap, isScalar, type Node, type Pair, parseDocument, type Scalar } from 'yaml';
import type { BlockValue } from './json/places.ts';

/**
 * The place of a value in a YAML text, offsets in UTF-16 units. A separate module, so that YAML is loaded
 * only for documents with YAML blocks. Null for an unknown path.
 */
export function locateInYaml(text: string, path: readonly (string | number)[]): BlockValue | null {
  const document = parseDocument(text, { logLevel: 'silent' });
  const node = (path.length === 0 ? document.contents : document.getIn(path, true)) as
    | Node
    | null
    | undefined;
  if (!node?.range) return null;
  const [start, end] = node.range;
  return {
    key: keyOf(path.length === 0 ? null : document.getIn(path.slice(0, -1), true), path.at(-1)),
    value: [start, end],
    inside: (from, to) =>
      (isScalar(node) ? insideScalar(text, node, start, end, from, to) : null) ?? [start, end],
  };
}

function keyOf(parent: unknown, name: string | number | undefined): [number, number] | null {
  if (!isMap(parent)) return null;
  const pair = parent.items.find(({ key }: Pair) => isScalar(key) && key.value === name);
  const range = (pair?.key as Scalar | undefined)?.range;
  return range ? [range[0], range[1]] : null;
}

/** Null when characters of the value are not consecutive in the text. */
function insideScalar(
  text: string,
  node: Scalar,
  start: number,
  end: number,
  from: number,
  to: number,
): [number, number] | null {
  const raw = text.slice(start, end);
  if (node.type === 'BLOCK_LITERAL') return insideLiteral(text, String(node.value), start, from, to);
  if (/[\r\n]/.test(raw)) return null;
  if (node.type === 'PLAIN') return [start + from, start + to];
  const step = node.type === 'QUOTE_SINGLE' ? singleQuoted : doubleQuoted;
  const unit = (wanted: number) => {
    let at = 1;
    for (let seen = 0; seen < wanted && at < raw.length - 1; ) {
      seen += step === doubleQuoted && isAstral(raw, at) ? 2 : 1;
      at += step(raw, at);
    }
    return start + Math.min(at, raw.length - 1);
  };
  return [unit(from), unit(to)];
}

/** `key: |` and lines, each indented alike (YAML 1.2.2, section 8.1.2). */
function insideLiteral(
  text: string,
  value: string,
  start: number,
  from: number,
  to: number,
): [number, number] | null {
  const first = text.indexOf('\n', start) + 1;
  const sample = value.split('\n').findIndex((line) => line.trim() !== '');
  const lines = text.slice(first).split('\n');
  const indent = sample === -1 ? -1 : (lines[sample]?.indexOf(value.split('\n')[sample]!) ?? -1);
  if (first === 0 || indent < 0 || text.includes('\r')) return null;
  const unit = (wanted: number) => {
    const line = value.slice(0, wanted).split('\n').length - 1;
    const column = wanted - (value.lastIndexOf('\n', wanted - 1) + 1);
    const before = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
    return first + before + Math.min(lines[line]?.length ?? 0, indent + column);
  };
  return [unit(from), unit(to)];
}

/** Units of text for one unit of the value. */
function singleQuoted(raw: string, at: number): number {
  return raw[at] === "'" ? 2 : 1;
}

/** Whether an escape stands for a character of two units. */
function isAstral(raw: string, at: number): boolean {
  return raw.startsWith('\\U', at) && Number.parseInt(raw.slice(at + 2, at + 10), 16) > 0xffff;
}

function doubleQuoted(raw: string, at: number): number {
  if (raw[at] !== '\\') return 1;
  return { x: 4, u: 6, U: 10 }[raw[at + 1] ?? ''] ?? 2;
}

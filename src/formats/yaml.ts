import { isMap, isScalar, LineCounter, type Node, type Pair, parseDocument, type Scalar, visit } from 'yaml';
import { yamlFault } from '../base/errors.ts';
import type { BlockValue } from './json/places.ts';

/**
 * Reads YAML as plain data, without aliases, custom tags, duplicate keys or a second document. Returns the first fault of any
 * other text. Import it lazily: the library is large.
 */
export function readPlainYaml(text: string): { value: unknown } | { fault: string } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    // The library would put place and excerpt into every fault: in a line with thousands, that needs seconds.
    prettyErrors: false,
    lineCounter,
    schema: 'core',
    uniqueKeys: true,
    customTags: [],
    merge: false,
    // With 'silent' the parser ignores a second document.
    logLevel: 'error',
  });
  // The faults after the first are usually its consequence.
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    const { message, code, pos } = first;
    const linePos = pos[0] < 0 ? undefined : [lineCounter.linePos(pos[0])];
    return { fault: yamlFault({ message, code, linePos }) };
  }
  let hasAlias = false;
  visit(document, {
    Alias: () => {
      hasAlias = true;
      return visit.BREAK;
    },
  });
  return hasAlias
    ? { fault: 'aliases are not read; write the value out' }
    : { value: document.toJS() as unknown };
}

/** The value of a YAML text. Throws Error with the fault. */
export function parseYaml(text: string): unknown {
  const read = readPlainYaml(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.value;
}

/** Sets a key of a mapping, or removes it (null); comments and everything else stay. */
export function changeYaml(text: string, key: string, value: string | null): string {
  const document = parseDocument(text);
  if (value === null) document.delete(key);
  else document.set(key, value);
  return document.toString({ lineWidth: 0 });
}

/** The place of a value in a YAML text, offsets in UTF-16 units. Null for an unknown path. */
export function locateInYaml(text: string, path: readonly (string | number)[]): BlockValue | null {
  const document = parseDocument(text, { logLevel: 'silent' });
  const node = (path.length === 0 ? document.contents : document.getIn(path, true)) as
    | Node
    | null
    | undefined;
  if (!node?.range) return null;
  const [start, end] = node.range;
  let offsets: Offsets | null | undefined;
  return {
    key: keyOf(path.length === 0 ? null : document.getIn(path.slice(0, -1), true), path.at(-1)),
    value: [start, end],
    inside: (from, to) => {
      if (offsets === undefined) offsets = isScalar(node) ? offsetsOf(text, node, start, end) : null;
      return offsets === null ? [start, end] : [offsets(from), offsets(to)];
    },
  };
}

function keyOf(parent: unknown, name: string | number | undefined): [number, number] | null {
  if (!isMap(parent)) return null;
  const pair = parent.items.find(({ key }: Pair) => isScalar(key) && key.value === name);
  const range = (pair?.key as Scalar | undefined)?.range;
  return range ? [range[0], range[1]] : null;
}

/** The offset in the text of each unit of a value, and of its end. */
type Offsets = (unit: number) => number;

/** Null when characters of the value are not consecutive in the text. */
function offsetsOf(text: string, node: Scalar, start: number, end: number): Offsets | null {
  const raw = text.slice(start, end);
  if (node.type === 'BLOCK_LITERAL') return literalOffsets(text, String(node.value), start);
  if (/[\r\n]/.test(raw)) return null;
  if (node.type === 'PLAIN') return (unit) => start + unit;
  const step = node.type === 'QUOTE_SINGLE' ? singleQuoted : doubleQuoted;
  const last = raw.length - 1;
  const offsets: number[] = [];
  for (let at = 1; at < last; at += step(raw, at)) {
    offsets.push(at);
    if (step === doubleQuoted && isAstral(raw, at)) offsets.push(at + step(raw, at));
  }
  return (unit) => start + Math.min(offsets[unit] ?? last, last);
}

/** `key: |` and lines, each indented alike (YAML 1.2.2, section 8.1.2). */
function literalOffsets(text: string, value: string, start: number): Offsets | null {
  const first = text.indexOf('\n', start) + 1;
  const lines = value.split('\n');
  const sample = lines.findIndex((line) => line.trim() !== '');
  const written = text.slice(first).split('\n');
  const indent = sample === -1 ? -1 : (written[sample]?.indexOf(lines[sample]!) ?? -1);
  if (first === 0 || indent < 0 || text.includes('\r')) return null;
  const offsets: number[] = [];
  let lineStart = first;
  for (const [at, { length }] of lines.entries()) {
    const width = written[at]?.length ?? 0;
    for (let column = 0; column <= length; column += 1)
      offsets.push(lineStart + Math.min(width, indent + column));
    lineStart += width + 1;
  }
  return (unit) => offsets[unit] ?? lineStart;
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

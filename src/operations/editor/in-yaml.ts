import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { locateInYaml, readPlainYaml } from '../../formats/yaml.ts';
import type { PolicyReading } from '../../gate/policy/read.ts';
import { readPolicyValue } from '../../host/settings/policy-file.ts';
import { readHoldList } from '../../protocol/holds.ts';
import type { DataSpot, SpotPath } from './schema-spot.ts';

/** What an editor asks about YAML. Loaded late: the library is large, and few step blocks are written in it. */

/** A word that no document contains: it replaces the one at the cursor while the text around it is read. */
const MARK = 'kairosCursor7f3a';

/** The place at an offset of a YAML text, complete or not. */
export function yamlSpot(text: string, offset: number): DataSpot | null {
  const [from, to] = wordAround(text, offset);
  const before = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  const hasColon = /^[ \t]*:/.test(text.slice(to));
  const isKey = /^ *(?:- +)*$/.test(before) || (/[{,]\s*$/.test(before) && isInBraces(text.slice(0, from)));
  const probe = `${text.slice(0, from)}${MARK}${isKey && !hasColon ? ': ' : ''}${text.slice(to)}`;
  const document = parseDocument(probe, { logLevel: 'silent' });
  const found = findNode(document.contents, [], (node) => String(node.value).includes(MARK));
  if (found === null) return null;
  const data: unknown = document.toJS();
  const path = found.kind === 'key' ? found.path.slice(0, -1) : found.path;
  return { path, kind: found.kind, range: [from, to], data, hasColon };
}

/** The key or value that is written at an offset, for its description; null between them. */
export function writtenInYaml(text: string, offset: number): DataSpot | null {
  const document = parseDocument(text, { logLevel: 'silent' });
  const found = findNode(document.contents, [], ({ range }) =>
    range ? range[0] <= offset && offset <= range[1] : false,
  );
  if (found === null) return null;
  const path = found.kind === 'key' ? found.path.slice(0, -1) : found.path;
  return { ...found, path, data: document.toJS() as unknown, hasColon: true };
}

function wordAround(text: string, offset: number): [number, number] {
  const isWord = (at: number) => at >= 0 && at < text.length && /[\w.$-]/.test(text[at]!);
  let from = offset;
  let to = offset;
  while (isWord(from - 1)) from -= 1;
  while (isWord(to)) to += 1;
  // A dash is a mark of a list where nothing is before it.
  if (text[from] === '-' && /^[ ]*$/.test(text.slice(text.lastIndexOf('\n', from - 1) + 1, from)))
    return [offset, offset];
  return [from, to];
}

function isInBraces(text: string): boolean {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '}' || text[at] === ']') depth += 1;
    else if (text[at] === '{' || text[at] === '[') {
      if (depth === 0) return text[at] === '{';
      depth -= 1;
    }
  }
  return false;
}

interface FoundNode {
  path: SpotPath;
  kind: 'key' | 'value';
  range: [number, number];
}

function findNode(
  node: unknown,
  path: SpotPath,
  isHit: (node: { value: unknown; range?: Node['range'] }) => boolean,
): FoundNode | null {
  const found = (kind: 'key' | 'value', at: SpotPath, { range }: Node): FoundNode => ({
    path: at,
    kind,
    range: [range?.[0] ?? 0, range?.[1] ?? 0],
  });
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (isScalar(key) && isHit(key)) return found('key', [...path, name], key);
      const inner = findNode(value, [...path, name], isHit);
      if (inner !== null) return inner;
    }
  } else if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) {
      const inner = findNode(item, [...path, at], isHit);
      if (inner !== null) return inner;
    }
  } else if (isScalar(node) && isHit(node)) return found('value', path, node);
  return null;
}

/** What `kairos` would refuse in a policy or hold list, offsets of the text. */
export async function checkSettings(
  text: string,
  kind: 'policy' | 'hold',
): Promise<{ range: [from: number, to: number]; message: string }[]> {
  const read = readPlainYaml(text);
  if ('fault' in read) {
    const line = Number(/\bline (\d+)/.exec(read.fault)?.[1] ?? 1);
    const lines = text.split('\n');
    const from = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    return [{ range: [from, from + (lines[line - 1] ?? '').length], message: read.fault }];
  }
  const problems =
    kind === 'policy'
      ? policyProblems(await readPolicyValue(read.value))
      : holdProblems(readHoldList(read.value));
  return problems.map(({ path, message }) => ({ range: placeOf(text, path), message }));
}

type PathProblem = { path: string; message: string };

function policyProblems(reading: PolicyReading): PathProblem[] {
  return reading.ok ? [] : reading.problems;
}

function holdProblems(reading: ReturnType<typeof readHoldList>): PathProblem[] {
  if (reading.ok) return [];
  return reading.problems.map((problem) => {
    const [, path = '', message = problem] = /^([\w.-]+): ([\s\S]*)$/.exec(problem) ?? [];
    return { path, message };
  });
}

/** The place of a dotted path, or of the nearest value above it that is written. */
function placeOf(text: string, path: string): [number, number] {
  const parts = path === '' ? [] : path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = parts.length; length > 0; length -= 1) {
    const found = locateInYaml(text, parts.slice(0, length));
    if (found !== null) return found.key ?? found.value;
  }
  return [0, text.search(/[\r\n]|$/)];
}

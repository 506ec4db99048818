import { getLocation, getNodeValue, parseTree } from 'jsonc-parser';
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { isObject } from '../../base/json.ts';
import { KEY_DOCS } from '../../protocol/key-docs.ts';

export type EditorSchema = Record<string, unknown>;
type Path = readonly (string | number)[];

/** A place in JSON or YAML that an editor asks about: the path to it, and what is written there. */
export interface DataSpot {
  /** Of a key: the path of its object. Of a value: its own path. */
  path: Path;
  kind: 'key' | 'value';
  /** What is written there so far, offsets of the text. */
  range: [from: number, to: number];
  /** The readable part of the text. */
  data: unknown;
  /** At a key: whether its colon is written. */
  hasColon: boolean;
}

/** The place at an offset of a JSON text, complete or not. */
export function jsonSpot(text: string, offset: number): DataSpot {
  const { path, previousNode: node, isAtPropertyKey } = getLocation(text, offset);
  const isInside = node !== undefined && node.offset <= offset && offset <= node.offset + node.length;
  const range: [number, number] = isInside ? [node.offset, node.offset + node.length] : [offset, offset];
  const root = parseTree(text);
  return {
    path: isAtPropertyKey ? path.slice(0, -1) : path,
    kind: isAtPropertyKey ? 'key' : 'value',
    range,
    data: root === undefined ? undefined : getNodeValue(root),
    hasColon: /^\s*:/.test(text.slice(range[1])),
  };
}

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
export function writtenSpot(text: string, offset: number, format: 'json' | 'yaml'): DataSpot | null {
  if (format === 'json') {
    const spot = jsonSpot(text, offset);
    return spot.range[0] === spot.range[1] ? null : spot;
  }
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
  path: Path;
  kind: 'key' | 'value';
  range: [number, number];
}

function findNode(
  node: unknown,
  path: Path,
  isHit: (node: { value: unknown; range?: Node['range'] }) => boolean,
): FoundNode | null {
  const found = (kind: 'key' | 'value', at: Path, { range }: Node): FoundNode => ({
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

/** Every form that a schema allows at a path; forms whose fixed keys differ from the data are left out. */
export function schemasAt(root: EditorSchema, path: Path, data: unknown): EditorSchema[] {
  let forms = formsOf(root, root, data);
  let value = data;
  for (const part of path) {
    value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[part] : undefined;
    forms = forms.flatMap((form) => {
      const next = inner(form, part);
      return next === undefined ? [] : formsOf(next, root, value);
    });
  }
  return forms;
}

function inner(
  { properties, items, additionalProperties }: EditorSchema,
  part: string | number,
): EditorSchema | undefined {
  if (typeof part === 'number') return isObject(items) ? items : undefined;
  const own = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined;
  return [own, additionalProperties].find(isObject);
}

function formsOf(schema: EditorSchema, root: EditorSchema, data: unknown): EditorSchema[] {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').pop()! : null;
  const defs = root.$defs as Record<string, EditorSchema> | undefined;
  const { anyOf, oneOf, ...own } = name === null ? schema : { ...schema, ...defs?.[name] };
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as EditorSchema[]) : []));
  if (choices.length === 0) return [own];
  const fitting = choices.filter((choice) => fits(choice, data));
  return (fitting.length === 0 ? choices : fitting).flatMap((choice) =>
    formsOf({ description: own.description, ...choice }, root, data),
  );
}

function fits({ properties, type }: EditorSchema, data: unknown): boolean {
  if (Array.isArray(data)) return type === undefined || type === 'array';
  if (!isObject(data)) return true;
  if (type !== undefined && type !== 'object') return false;
  return Object.entries((properties ?? {}) as Record<string, EditorSchema>).every(
    ([key, { const: fixed }]) =>
      fixed === undefined || !(key in data) || data[key] === fixed || data[key] === null,
  );
}

/** What a key means, as markdown: the schema's description, the values, the default, an example. */
export function describeKey(name: string, forms: readonly EditorSchema[], parent: string): string {
  const [first] = forms;
  const meaning = forms.find(({ description }) => typeof description === 'string')?.description ?? '';
  const values = valuesOf(forms).map((value) => `\`${JSON.stringify(value)}\``);
  const { example, fallback } = KEY_DOCS[`${parent}.${name}`] ?? {};
  return [
    `**${name}**${typeof first?.type === 'string' ? ` (${first.type})` : ''}`,
    String(meaning),
    values.length > 1 ? `Values: ${values.join(', ')}.` : '',
    first?.default === undefined
      ? fallback === undefined
        ? ''
        : `Default: ${fallback}.`
      : `Default: \`${JSON.stringify(first.default)}\`.`,
    example === undefined ? '' : `Example: \`${name}: ${example}\``,
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

/** The values that a schema lists. */
export function valuesOf(forms: readonly EditorSchema[]): unknown[] {
  const values = forms.flatMap(({ const: fixed, enum: list, type }) => {
    if (fixed !== undefined) return [fixed];
    if (Array.isArray(list)) return list as unknown[];
    return type === 'boolean' ? [true, false] : [];
  });
  return [...new Set(values)];
}

import { getLocation, getNodeValue, parseTree } from 'jsonc-parser';
import { isObject } from '../../base/json.ts';
import { KEY_DOCS } from '../../protocol/key-docs.ts';

export type EditorSchema = Record<string, unknown>;
export type SpotPath = readonly (string | number)[];

/** A place in JSON or YAML that an editor asks about: the path to it, and what is written there. */
export interface DataSpot {
  /** Of a key: the path of its object. Of a value: its own path. */
  path: SpotPath;
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

/** Every form that a schema allows at a path; forms whose fixed keys differ from the data are left out. */
export function schemasAt(root: EditorSchema, path: SpotPath, data: unknown): EditorSchema[] {
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

import { isObject } from '../../base/json.ts';
import { valueAt } from '../../protocol/block/value.ts';
import type { EditorFileKind } from './check.ts';
import { nameAround } from './outline.ts';
import {
  type AskNames,
  type EditorHelp,
  helpInInfo,
  inDirective,
  inInfo,
  nameSuggestion,
  type Region,
  regionAt,
  type Suggestion,
} from './region.ts';
import {
  type DataSpot,
  describeKey,
  type EditorSchema,
  jsonSpot,
  schemasAt,
  valuesOf,
} from './schema-spot.ts';

/** What can be written at an offset. */
export async function suggestions(
  text: string,
  offset: number,
  kind: EditorFileKind,
  names: AskNames,
): Promise<Suggestion[]> {
  const region = regionAt(text, offset, kind);
  if (region.kind === 'data') return inData(text, region, offset, names);
  if (region.kind === 'info') return inInfo(text, region, offset, names);
  if (region.kind === 'directive') return inDirective(region.written, offset);
  return (await references(text, offset, region.kind === 'command' ? VARIABLE : GAP, names)) ?? [];
}

/** What is written of the name of a variable, or of a value that is put into a text. */
const VARIABLE = /\$\{?([A-Z0-9_]*)$/;
const GAP = /\{\{([A-Z0-9_]*)$/;

/** Inputs and captures where one is referred to; null elsewhere. */
async function references(
  text: string,
  offset: number,
  pattern: RegExp,
  names: AskNames,
): Promise<Suggestion[] | null> {
  const typed = pattern.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));
  if (typed === null) return null;
  const end = pattern === GAP && !text.startsWith('}}', offset) ? '}}' : '';
  return (await names()).map((each) =>
    nameSuggestion(each, `${each.name}${end}`, [offset - typed[1]!.length, offset]),
  );
}

/** The explanation of what is written at an offset; null where there is nothing to explain. */
export async function helpAt(
  text: string,
  offset: number,
  kind: EditorFileKind,
  names: AskNames,
): Promise<EditorHelp | null> {
  const region = regionAt(text, offset, kind);
  if (region.kind === 'data') return (await helpInData(region, offset)) ?? helpForName(text, offset, names);
  if (region.kind === 'info') return helpInInfo(text, region, offset);
  return helpForName(text, offset, names);
}

async function helpForName(text: string, offset: number, names: AskNames): Promise<EditorHelp | null> {
  const range = nameAround(text, offset);
  if (range === null) return null;
  const known = (await names()).find(({ name }) => name === text.slice(...range));
  return known === undefined
    ? null
    : { markdown: `**${known.name}** (${known.kind})\n\n${known.description}`, range };
}

type DataRegion = Extract<Region, { kind: 'data' }>;

/** Keys of step blocks whose values are commands. */
const COMMANDS: ReadonlySet<string> = new Set(['cmd', 'command', 'verify']);

async function inData(
  whole: string,
  { schema, root, format, from, text }: DataRegion,
  offset: number,
  names: AskNames,
): Promise<Suggestion[]> {
  const at = offset - from;
  const spot = format === 'json' ? jsonSpot(text, at) : (await import('./in-yaml.ts')).yamlSpot(text, at);
  if (spot === null) return [];
  const range: [number, number] = [from + spot.range[0], from + spot.range[1]];
  const forms = schemasAt(schema, spot.path, spot.kind === 'key' ? spot.data : without(spot.data, spot.path));
  if (spot.kind === 'key') {
    const keys = keySuggestions(spot, forms, { root, format, range });
    if (keys.length > 0) return keys;
  }
  const name = String(spot.path.findLast((part) => typeof part === 'string') ?? root);
  const written = (value: unknown) => (format === 'json' ? JSON.stringify(value) : String(value));
  if (root === 'block' && spot.kind === 'value') {
    if (name === 'env') return (await names()).map((each) => nameSuggestion(each, written(each.name), range));
    const found =
      (await references(whole, offset, GAP, names)) ??
      (COMMANDS.has(name) ? await references(whole, offset, VARIABLE, names) : null);
    if (found !== null) return found;
  }
  return valuesOf(forms).map((value) => ({
    label: String(value),
    kind: 'value',
    documentation: describeKey(name, forms, parentOf(spot.path.slice(0, -1), root)),
    insert: written(value),
    range,
  }));
}

/** The data without the value that is about to be replaced: it decides nothing. */
function without(data: unknown, path: readonly (string | number)[]): unknown {
  const copy: unknown = structuredClone(data);
  const owner = valueAt(copy, path.slice(0, -1));
  const key = path.at(-1);
  if (isObject(owner) && key !== undefined) delete owner[key];
  return copy;
}

function keySuggestions(
  { path, data, hasColon }: DataSpot,
  forms: readonly EditorSchema[],
  { root, format, range }: { root: string; format: 'json' | 'yaml'; range: [number, number] },
): Suggestion[] {
  const present = valueAt(data, path);
  const offered = new Map<string, EditorSchema[]>();
  for (const { properties } of forms) {
    for (const [key, schema] of Object.entries((properties ?? {}) as Record<string, EditorSchema>))
      offered.set(key, [...(offered.get(key) ?? []), schema]);
  }
  // A block with other keys only is content, not a step block.
  const written = isObject(present)
    ? Object.keys(present).filter((key) => !key.startsWith('kairosCursor'))
    : [];
  if (root === 'block' && path.length === 0 && written.length > 1 && !written.some((key) => offered.has(key)))
    return [];
  const parent = parentOf(path, root);
  return [...offered]
    .filter(([key]) => !written.includes(key))
    .map(([key, schemas]) => ({
      label: key,
      kind: 'key',
      documentation: describeKey(key, schemas, parent),
      insert: `${format === 'json' ? JSON.stringify(key) : key}${hasColon ? '' : ': '}`,
      range,
    }));
}

async function helpInData(
  { schema, root, format, from, text }: DataRegion,
  offset: number,
): Promise<EditorHelp | null> {
  const spot = await writtenSpot(text, offset - from, format);
  if (spot === null) return null;
  const range: [number, number] = [from + spot.range[0], from + spot.range[1]];
  if (spot.kind === 'value' && valuesOf(schemasAt(schema, spot.path, spot.data)).length === 0) return null;
  const word = text.slice(...spot.range).replace(/^["']|["']$/g, '');
  const path = spot.kind === 'key' ? [...spot.path, word] : spot.path;
  const name = path.findLast((part) => typeof part === 'string');
  const forms = schemasAt(schema, path, spot.data);
  if (name === undefined || forms.every(({ description }) => description === undefined)) return null;
  return { markdown: describeKey(name, forms, parentOf(path.slice(0, -1), root)), range };
}

/** The key or value that is written at an offset, for its description; null between them. */
async function writtenSpot(text: string, offset: number, format: 'json' | 'yaml'): Promise<DataSpot | null> {
  if (format === 'yaml') return (await import('./in-yaml.ts')).writtenInYaml(text, offset);
  const spot = jsonSpot(text, offset);
  return spot.range[0] === spot.range[1] ? null : spot;
}

function parentOf(path: readonly (string | number)[], root: string): string {
  const key = path.findLast((part) => typeof part === 'string');
  // Every input is described under the key of them all.
  return path[0] === 'inputs' && path.length === 2 ? 'inputs' : (key ?? root);
}

import { isObject } from '../../base/json.ts';
import { valueAt } from '../../protocol/block/value.ts';
import { INTERPRETERS } from '../../protocol/terms.ts';
import type { EditorFileKind } from './check.ts';
import { type NamedValue, nameAround } from './outline.ts';
import { type Region, regionAt, schemaOf } from './region.ts';
import {
  type DataSpot,
  describeKey,
  type EditorSchema,
  jsonSpot,
  schemasAt,
  valuesOf,
  writtenSpot,
  yamlSpot,
} from './schema-spot.ts';

/** Something that an editor offers at a place. */
export interface Suggestion {
  label: string;
  kind: 'key' | 'value' | 'word' | 'name';
  /** Markdown. */
  documentation: string;
  /** What replaces the range, offsets of the text. */
  insert: string;
  range: [from: number, to: number];
}

export interface EditorHelp {
  markdown: string;
  range: [from: number, to: number];
}

/** Inputs and captures of a document. To know them it has to be parsed, so they are asked for only where a name can be. */
export type AskNames = () => Promise<readonly NamedValue[]>;

/** What can be written at an offset. */
export async function suggestions(
  text: string,
  offset: number,
  kind: EditorFileKind,
  names: AskNames,
): Promise<Suggestion[]> {
  const region = regionAt(text, offset, kind);
  if (region.kind === 'data') return inData(region, offset);
  if (region.kind === 'info') return inInfo(text, region, offset);
  const pattern = region.kind === 'command' ? /\$\{?([A-Z0-9_]*)$/ : /\{\{([A-Z0-9_]*)$/;
  const typed = pattern.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));
  if (typed === null) return [];
  return (await names()).map(({ name, description }) => ({
    label: name,
    kind: 'name',
    documentation: description,
    insert: region.kind === 'text' && !text.startsWith('}}', offset) ? `${name}}}` : name,
    range: [offset - typed[1]!.length, offset],
  }));
}

/** The explanation of what is written at an offset; null where there is nothing to explain. */
export async function helpAt(
  text: string,
  offset: number,
  kind: EditorFileKind,
  names: AskNames,
): Promise<EditorHelp | null> {
  const region = regionAt(text, offset, kind);
  if (region.kind === 'data') return helpInData(region, offset) ?? helpForName(text, offset, names);
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

function inData({ schema, root, format, from, text }: DataRegion, offset: number): Suggestion[] {
  const at = offset - from;
  const spot = format === 'json' ? jsonSpot(text, at) : yamlSpot(text, at);
  if (spot === null) return [];
  const range: [number, number] = [from + spot.range[0], from + spot.range[1]];
  const forms = schemasAt(schema, spot.path, spot.kind === 'key' ? spot.data : without(spot.data, spot.path));
  if (spot.kind === 'key') {
    const keys = keySuggestions(spot, forms, { root, format, range });
    if (keys.length > 0) return keys;
  }
  const name = String(spot.path.findLast((part) => typeof part === 'string') ?? root);
  return valuesOf(forms).map((value) => ({
    label: String(value),
    kind: 'value',
    documentation: describeKey(name, forms, parentOf(spot.path.slice(0, -1), root)),
    insert: format === 'json' ? JSON.stringify(value) : String(value),
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

function helpInData({ schema, root, format, from, text }: DataRegion, offset: number): EditorHelp | null {
  const spot = writtenSpot(text, offset - from, format);
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

function parentOf(path: readonly (string | number)[], root: string): string {
  const key = path.findLast((part) => typeof part === 'string');
  // Every input is described under the key of them all.
  return path[0] === 'inputs' && path.length === 2 ? 'inputs' : (key ?? root);
}

/** Words of an info string, with the key of the schema that each stands for. */
const INFO_WORDS: Readonly<Record<string, string>> = {
  timeout: 'timeout_seconds',
  exit: 'expect_exit_code',
  workdir: 'workdir',
  env: 'env',
};
const PROOF_MEANING = 'The text of this block is the command that proves the step.';

function infoHelp(word: string): string {
  const key = INFO_WORDS[word];
  if (key === undefined) return PROOF_MEANING;
  const data = { proof_of_work: { type: 'shell' } };
  const forms = schemasAt(schemaOf('step-block'), ['proof_of_work', 'shell', key], data);
  return describeKey(key, forms, 'shorthand').replace(`**${key}**`, `**${word}=**`);
}

function inInfo(
  text: string,
  { from, to, language }: Extract<Region, { kind: 'info' }>,
  offset: number,
): Suggestion[] {
  const typed = /[^\s`~]*$/.exec(text.slice(from, offset))![0];
  const range: [number, number] = [offset - typed.length, offset];
  const word = (label: string, documentation: string, insert = label): Suggestion => ({
    label,
    kind: 'word',
    documentation,
    insert,
    range,
  });
  if (/^ {0,3}(?:`{3,}|~{3,})[ \t]*$/.test(text.slice(from, range[0]))) {
    return [
      ...INTERPRETERS.map((name) => word(`${name} proof`, PROOF_MEANING)),
      word('yaml', 'A step block in YAML.'),
      word('json', 'A step block in JSON.'),
    ];
  }
  const known = [...INTERPRETERS, 'python'] as readonly string[];
  if (!known.includes(language.toLowerCase())) return [];
  const meta = text.slice(from, to);
  if (!/[ \t]proof(?=[ \t]|$)/i.test(meta.slice(0, range[0] - from))) return [word('proof', PROOF_MEANING)];
  return Object.keys(INFO_WORDS)
    .filter((key) => !meta.includes(` ${key}=`))
    .map((key) => word(`${key}=`, infoHelp(key)));
}

function helpInInfo(
  text: string,
  { from, to }: Extract<Region, { kind: 'info' }>,
  offset: number,
): EditorHelp | null {
  for (const { 0: found, index } of text.slice(from, to).matchAll(/[^\s`~=]+/g)) {
    const range: [number, number] = [from + index, from + index + found.length];
    if (offset < range[0] || offset > range[1] || index === 0) continue;
    if (found === 'proof' || found in INFO_WORDS) return { markdown: infoHelp(found), range };
  }
  return null;
}

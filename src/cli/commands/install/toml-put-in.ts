import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit } from 'jsonc-parser';
import type { TomlTable } from 'smol-toml';
import { lineOf } from './line-of.ts';
import { REMOTE_KEYS, type ServerEdit } from './server-edit.ts';
import { markTexts, type TomlMarks } from './toml-marks.ts';
import { isAt, isBelow, lineEnd, type TomlDocument, type TomlStatement } from './toml-statements.ts';
import { unusableConfig } from './unusable.ts';

type Put = ServerEdit & { entry: Record<string, unknown> };

/** Changes the values of the entry in the server's table, and adds those that it lacks below the header. */
export function mergeIntoToml(
  text: string,
  { file, key, name, entry, once }: Put,
  { statements }: TomlDocument,
  header: TomlStatement,
  server: TomlTable,
): string {
  const remote = REMOTE_KEYS.find((field) => field in server);
  if (remote !== undefined) throw unusableConfig(file, `"${name}" is a server with a "${remote}"`);
  const edits: Edit[] = [];
  let added = '';
  for (const [field, value] of Object.entries(entry)) {
    if (isDeepStrictEqual(server[field], value) || (once.includes(field) && field in server)) continue;
    const old = statements.find(({ path }) => isAt(path, [key, name, field]));
    if (old === undefined || old.header) added += eolOf(text) + assignment(field, value);
    else edits.push({ offset: old.value, length: old.end - old.value, content: tomlValue(value) });
  }
  if (added !== '') edits.push({ offset: lineEnd(text, header.end), length: 0, content: added });
  return applyEdits(text, edits);
}

/** Adds a table for the server: between the marks that stand there, or with marks at the end. */
export function addToToml(
  text: string,
  { file, key, name, entry }: Put,
  { statements }: TomlDocument,
  marks: TomlMarks | null,
): string {
  const other = statements.find(
    ({ header, path, table }) => !header && isBelow(path, [key, name]) && !isBelow(table, [key, name]),
  );
  if (other !== undefined) {
    throw unusableConfig(
      file,
      `line ${lineOf(text, other.start)} writes "${name}" inline or by dotted keys, which is not changed`,
    );
  }
  const eol = eolOf(text);
  const fields = Object.entries(entry).map(([field, value]) => assignment(field, value));
  const table = [`[${key}.${name}]`, ...fields].join(eol);
  if (marks !== null) return applyEdits(text, [{ offset: marks.begin.end, length: 0, content: eol + table }]);
  const { begin, end } = markTexts(name);
  const block = [begin, table, end, ''].join(eol);
  if (text.trim() === '') return block;
  const ended = text.endsWith('\n') ? text : text + eol;
  return ended + (/\n\r?\n$/.test(ended) ? '' : eol) + block;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The keys of ours are bare ones. */
function assignment(key: string, value: unknown): string {
  return `${key} = ${tomlValue(value)}`;
}

/** Strings, and arrays of them: JSON's strings are TOML's basic strings but for DEL. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f');
}

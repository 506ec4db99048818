import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { lineOf } from './line-of.ts';
import type { ServerEdit } from './server-edit.ts';
import { tomlMarks } from './toml-marks.ts';
import { addToToml, mergeIntoToml } from './toml-put-in.ts';
import { isAt, tomlStatements } from './toml-statements.ts';
import { takeOutOfToml } from './toml-take-out.ts';
import { unusableConfig } from './unusable.ts';

/**
 * Sets (or with null takes out) one server in a TOML file of a client: a table of its own, between two marks of ours when it
 * is new. Not a character changes but in the values of the entry. Throws FILE_UNREADABLE for what is no TOML, for a server
 * that is not written as a table, or means another kind of server, and when a mark lacks its other half.
 */
export function editToml(text: string, edit: ServerEdit): string {
  const { file, key, name, entry } = edit;
  const servers = readToml(text, file)[key];
  if (servers !== undefined && !isTable(servers)) throw unusableConfig(file, `"${key}" is not a table`);
  const server = servers?.[name];
  const document = tomlStatements(text);
  const marks = tomlMarks(document, file, name);
  const inline = document.statements.find(({ header, path }) => !header && isAt(path, [key]));
  if (inline !== undefined && (entry !== null || server !== undefined)) {
    const place = `line ${lineOf(text, inline.start)}`;
    throw unusableConfig(file, `${place} writes "${key}" as an inline table, which is not changed`);
  }
  if (entry === null) return takeOutOfToml(text, { path: [key, name], document, marks });
  if (server !== undefined && !isTable(server)) throw unusableConfig(file, `"${name}" is not a table`);
  const own = document.statements.find(({ header, path }) => header && isAt(path, [key, name]));
  const after =
    own === undefined
      ? addToToml(text, { ...edit, entry }, document, marks)
      : mergeIntoToml(text, { ...edit, entry }, document, own, server ?? {});
  readToml(after, file, 'the entry has no place in it: ');
  return after;
}

/** What comes out is read again: a key of ours can stand there in a form that is not looked for. */
function readToml(text: string, file: string, problem = ''): TomlTable {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [message = ''] = cause.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw unusableConfig(file, `${problem}${message} in line ${cause.line}`);
  }
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

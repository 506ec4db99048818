import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit } from 'jsonc-parser';
import { isObject } from '../../../base/json.ts';
import { readToml, type TomlComment, type TomlDocument, type TomlStatement } from '../../../formats/toml.ts';
import { REMOTE_KEYS } from '../../../host/mcp-client/client-files.ts';
import { lineNumberAt, type NewEntry, type ServerEdit, type ServerPlace, unusableConfig } from './clients.ts';

/**
 * Sets (or with null removes) one server in a TOML file of a client: a separate table, between two marks of kairos when it is
 * new. Only the values of the entry change. Throws FILE_UNREADABLE for a text that is not TOML, for a server
 * that is not written as a table, or means another kind of server, and when a mark lacks its other half.
 */
export function editToml(text: string, edit: ServerEdit): string {
  const { file, key, name, entry } = edit;
  const document = readConfig(text, file);
  const servers = document.content[key];
  if (servers !== undefined && !isObject(servers)) throw unusableConfig(file, `"${key}" is not a table`);
  const server = servers?.[name];
  const marks = tomlMarks(document, file, name);
  const inline = document.statements.find(({ header, path }) => !header && isAt(path, [key]));
  if (inline !== undefined && (entry !== null || server !== undefined)) {
    const place = `line ${lineNumberAt(text, inline.start)}`;
    throw unusableConfig(file, `${place} writes "${key}" as an inline table, which is not changed`);
  }
  if (entry === null) return takeOutOfToml(text, { path: [key, name], document, marks });
  if (server !== undefined && !isObject(server)) throw unusableConfig(file, `"${name}" is not a table`);
  const own = document.statements.find(({ header, path }) => header && isAt(path, [key, name]));
  const after =
    own === undefined
      ? addToToml(text, { ...edit, entry }, document, marks)
      : mergeIntoToml(text, { ...edit, entry }, document, own, server ?? {});
  readConfig(after, file, 'the entry has no place in it: ');
  return after;
}

/** Replaces the tables of a server where they are. Throws FILE_UNREADABLE where others are between them. */
export function replaceInToml(text: string, { file, key, name }: ServerPlace, make: NewEntry): string {
  const { statements } = readConfig(text, file);
  const path = [key, name];
  const [first, ...others] = statements.filter((statement) => isBelow(statement.path, path));
  const last = others.at(-1);
  const between = statements.filter(({ start }) => start > (first?.start ?? 0) && start < (last?.start ?? 0));
  if (first?.header !== true || last === undefined || !between.every((each) => isBelow(each.path, path)))
    throw unusableConfig(file, `"${name}" is not written as one table`);
  const [start, { end }] = [first.start, wholeLines(text, last)];
  const was = text.slice(start, end);
  const entry = make(was);
  const after =
    text.slice(0, start) +
    (typeof entry === 'string' ? entry : tables(text.slice(first.start, first.end), entry, eolOf(text))) +
    text.slice(end);
  readConfig(after, file, 'the entry has no place in it: ');
  return after;
}

/** An entry as a table below its header, with a table for each mapping in it. */
function tables(header: string, entry: Record<string, unknown>, eol: string): string {
  const fields = Object.entries(entry);
  const own = fields
    .filter(([, value]) => !isObject(value))
    .map(([field, value]) => assignment(field, value));
  const inner = fields.flatMap(([field, value]) =>
    isObject(value) ? [tables(`${header.slice(0, -1)}.${field}]`, value, eol)] : [],
  );
  return [header, ...own, ...inner].join(eol) + (inner.length > 0 ? '' : eol);
}

/** Reads the file, and again after the edit, because a form that kairos doesn't look for can contain the same key. */
function readConfig(text: string, file: string, problem = ''): TomlDocument {
  const read = readToml(text);
  if ('content' in read) return read;
  throw unusableConfig(file, `${problem}${read.message} in line ${read.line}`);
}

/** The comments around a table that kairos wrote. */
interface TomlMarks {
  begin: TomlComment;
  end: TomlComment;
}

/** The texts of the two marks of a server. */
function markTexts(name: string): { begin: string; end: string } {
  return { begin: `# >>> kairos install: ${name}`, end: `# <<< kairos install: ${name}` };
}

/** The marks in a document. Throws FILE_UNREADABLE for one without the other. */
function tomlMarks({ comments }: TomlDocument, file: string, name: string): TomlMarks | null {
  const texts = markTexts(name);
  const [begin, ...begins] = comments.filter(({ text }) => text === texts.begin);
  const [end, ...ends] = comments.filter(({ text }) => text === texts.end);
  if (begin === undefined && end === undefined) return null;
  const paired = begin !== undefined && end !== undefined && begin.start < end.start;
  if (paired && begins.length + ends.length === 0) return { begin, end };
  throw unusableConfig(file, `"${texts.begin}" and "${texts.end}" do not belong together`);
}

type Put = ServerEdit & { entry: Record<string, unknown> };

/** Changes the values of the entry in the server's table, and adds those that it lacks below the header. */
function mergeIntoToml(
  text: string,
  { file, key, name, entry, once }: Put,
  { statements }: TomlDocument,
  header: TomlStatement,
  server: Record<string, unknown>,
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
  if (added !== '') edits.push({ offset: tomlLineEnd(text, header.end), length: 0, content: added });
  return applyEdits(text, edits);
}

/** Adds a table for the server: between its marks, or with new marks at the end. */
function addToToml(
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
      `line ${lineNumberAt(text, other.start)} writes "${name}" inline or by dotted keys, which is not changed`,
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

/** The keys of an entry are bare keys. */
function assignment(key: string, value: unknown): string {
  return `${key} = ${tomlValue(value)}`;
}

/** Strings, and arrays of them: JSON's strings are TOML's basic strings, except DEL. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f');
}

interface Lines {
  start: number;
  /** Behind the line's end. */
  end: number;
}

/**
 * Removes a server, also one that kairos did not write: its table, the tables below it, dotted keys. Comments outside of its
 * tables and the marks stay, and so does foreign text between the marks.
 */
function takeOutOfToml(
  text: string,
  { path, document, marks }: { path: string[]; document: TomlDocument; marks: TomlMarks | null },
): string {
  const { statements } = document;
  const lines: Lines[] = [];
  for (const [at, statement] of statements.entries()) {
    if (!isBelow(statement.path, path)) continue;
    const previous = statements[at - 1];
    // From its header on a table goes with the comments between its keys.
    if (previous !== undefined && isBelow(previous.table, path))
      lines.at(-1)!.end = wholeLines(text, statement).end;
    else lines.push(wholeLines(text, statement));
  }
  if (marks !== null) {
    const between = statements.filter(({ start }) => start > marks.begin.start && start < marks.end.start);
    if (between.every((statement) => isBelow(statement.path, path)))
      lines.push(wholeLines(text, { start: marks.begin.start, end: marks.end.end }));
    else lines.push(wholeLines(text, marks.begin), wholeLines(text, marks.end));
  }
  return joined(lines).reduceRight(withoutLines, text);
}

function wholeLines(text: string, { start, end }: Lines): Lines {
  const after = text.indexOf('\n', tomlLineEnd(text, end));
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: after === -1 ? text.length : after + 1 };
}

/** In order, and one where they meet. */
function joined(lines: readonly Lines[]): Lines[] {
  const result: Lines[] = [];
  for (const { start, end } of lines.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** One blank line is left where there was one on either side, and none at the ends. */
function withoutLines(text: string, { start, end }: Lines): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (after.trim() === '') return before.replace(/(?:^|(?<=\n))[ \t\r\n]+$/, '');
  if (before.trim() === '' || /\n[ \t]*\r?\n$/.test(before))
    return before + after.replace(/^(?:[ \t]*\r?\n)+/, '');
  return before + after;
}

/** Where the line ends, before its `\n` or `\r\n`. */
function tomlLineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** Exactly this path. */
function isAt(path: readonly string[], place: readonly string[]): boolean {
  return path.length === place.length && isBelow(path, place);
}

/** The path, or one that it leads to. */
function isBelow(path: readonly string[], place: readonly string[]): boolean {
  return place.every((key, at) => path[at] === key);
}

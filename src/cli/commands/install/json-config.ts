import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  type Edit,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isTooDeep } from '../../../formats/json/parse.ts';
import { REMOTE_KEYS } from '../../../host/mcp-client/client-files.ts';
import { lineNumberAt, type NewEntry, type ServerEdit, type ServerPlace, unusableConfig } from './clients.ts';

/**
 * Sets (or with null removes) one server in a JSON file of a client. Only the values of the entry change: comments, order,
 * indentation and all other keys stay, also those inside the server. An empty text is an empty object. Throws
 * FILE_UNREADABLE for anything but a JSON object, for a duplicate key, and for another kind of server.
 */
export function editJson(text: string, edit: ServerEdit): string {
  const { file, key, name, entry } = edit;
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(bom.length);
  const source = body.trim() === '' ? '{\n}\n' : body;
  const root = readObject(source, file);
  const servers = property(source, root, key, file);
  if (servers !== undefined && servers.type !== 'object')
    throw unusableConfig(file, `"${key}" is not an object`);
  const server = servers && property(source, servers, name, file);
  if (entry === null) return server === undefined ? text : bom + takeOut(source, server.parent!);
  const style = styleOf(source);
  if (server !== undefined) return bom + merge(source, server, { ...edit, entry }, style);
  const added =
    servers === undefined
      ? insertOnTop(root, source, [[key, { [name]: entry }]], 1, style)
      : insertOnTop(servers, source, [[name, entry]], 2, style);
  return bom + applyEdits(source, [added]);
}

/** Replaces the entry of a server in its place. */
export function replaceInJson(text: string, { file, key, name }: ServerPlace, make: NewEntry): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const source = text.slice(bom.length);
  const { offset, length } = property(
    source,
    property(source, readObject(source, file), key, file)!,
    name,
    file,
  )!;
  const was = source.slice(offset, offset + length);
  const entry = make(was);
  const content =
    typeof entry === 'string' ? entry : writeJson(entry, 2, styleOf(source), !was.includes('\n'));
  return bom + applyEdits(source, [{ offset, length, content }]);
}

export function readObject(source: string, file: string): Node {
  if (isTooDeep(source)) throw unusableConfig(file, 'it is nested too deeply');
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    throw unusableConfig(
      file,
      `${printParseErrorCode(first.error)} in line ${lineNumberAt(source, first.offset)}`,
    );
  }
  if (root?.type !== 'object') throw unusableConfig(file, 'it is not a JSON object');
  return root;
}

/** Readers do not agree on which of two equal keys counts. */
export function property(source: string, object: Node, key: string, file: string): Node | undefined {
  const found = object.children!.filter(({ children }) => children![0]!.value === key);
  if (found.length > 1) {
    const lines = found.map(({ offset }) => lineNumberAt(source, offset)).join(' and ');
    throw unusableConfig(file, `"${key}" occurs more than once, in the lines ${lines}`);
  }
  return found[0]?.children?.[1];
}

function merge(
  source: string,
  server: Node,
  { file, name, entry, once }: ServerEdit & { entry: Record<string, unknown> },
  style: JsonLayout,
): string {
  if (server.type !== 'object') throw unusableConfig(file, `"${name}" is not an object`);
  const remote = REMOTE_KEYS.find((key) => property(source, server, key, file) !== undefined);
  if (remote !== undefined) throw unusableConfig(file, `"${name}" is a server with a "${remote}"`);
  const edits: Edit[] = [];
  const missing: [string, unknown][] = [];
  for (const [key, value] of Object.entries(entry)) {
    const old = property(source, server, key, file);
    if (old === undefined) {
      missing.push([key, value]);
    } else if (!once.includes(key) && !isDeepStrictEqual(getNodeValue(old), value)) {
      const inOneLine = !source.slice(old.offset, old.offset + old.length).includes('\n');
      edits.push({ offset: old.offset, length: old.length, content: writeJson(value, 3, style, inOneLine) });
    }
  }
  if (missing.length > 0) {
    edits.push(insertOnTop(server, source, missing, 3, style));
  }
  return applyEdits(source, edits);
}

/** White space and comments. */
const TRIVIA = String.raw`(?:\s|//[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*`;
const COMMA = new RegExp(`^(${TRIVIA}),`);

/**
 * Removes a property or an item, with one comma. One that was inserted goes as it came; one that was moved to the end goes
 * with the comma before it. Comments next to it stay.
 */
export function takeOut(source: string, node: Node): string {
  const before = source.slice(0, node.offset);
  const after = source.slice(node.offset + node.length);
  const comma = COMMA.exec(after);
  if (comma !== null) return joined(before, comma[1]!.trimEnd() + after.slice(comma[0].length));
  const siblings = node.parent!.children!;
  const previous = siblings[siblings.indexOf(node) - 1];
  if (previous === undefined) return joined(before, after);
  const end = previous.offset + previous.length;
  return joined(source.slice(0, end) + source.slice(end, node.offset).replace(COMMA, '$1'), after);
}

/** Without the space between them, but so that a line comment at the end of the first doesn't swallow what follows. */
function joined(before: string, after: string): string {
  const keepsLine = /\n\s*$/.test(before) && !/^[ \t]*\r?\n/.test(after);
  return (keepsLine ? before : before.trimEnd()) + after;
}

/** How a JSON file is laid out; `indent` is null for a file in one line. */
interface JsonLayout {
  indent: string | null;
  eol: string;
}

/** The first indentation of a file and its line ends. */
export function styleOf(text: string): JsonLayout {
  const indent = text.trim().includes('\n') ? (/^([ \t]+)\S/m.exec(text)?.[1] ?? '  ') : null;
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** A value as the file would write it, its first line at the given depth. */
function writeJson(value: unknown, depth: number, { indent, eol }: JsonLayout, inOneLine = false): string {
  if (indent === null) return JSON.stringify(value);
  if (inOneLine)
    return JSON.stringify(value, null, 1)
      .replaceAll(/\n */g, ' ')
      .replace(/^\[ (.*) \]$/, '[$1]');
  return JSON.stringify(value, null, indent).replaceAll('\n', eol + indent.repeat(depth));
}

/**
 * Inserts as the first properties (null as the key: items of a list), so that no comma or comment of another one is in the way. What is in
 * one line stays in one.
 */
export function insertOnTop(
  object: Node,
  source: string,
  properties: readonly [key: string | null, value: unknown][],
  depth: number,
  style: JsonLayout,
): Edit {
  const { indent, eol } = style;
  const offset = object.offset + 1;
  const inOneLine = !source.slice(offset, object.offset + object.length).includes('\n');
  const comma = (object.children?.length ?? 0) > 0 ? ',' : '';
  if (inOneLine && comma !== '' && indent !== null) return insertInOneLine(offset, source, properties, style);
  const lead = indent === null ? '' : eol + indent.repeat(depth);
  const lines = properties.map(
    ([key, value]) =>
      `${lead}${key === null ? '' : `${JSON.stringify(key)}:${indent === null ? '' : ' '}`}${writeJson(value, depth, style)}`,
  );
  const tail = indent !== null && inOneLine ? eol + indent.repeat(depth - 1) : '';
  return { offset, length: 0, content: lines.join(',') + comma + tail };
}

function insertInOneLine(
  offset: number,
  source: string,
  properties: readonly [key: string | null, value: unknown][],
  style: JsonLayout,
): Edit {
  const list = properties.map(
    ([key, value]) => `${key === null ? '' : `${JSON.stringify(key)}: `}${writeJson(value, 0, style, true)}`,
  );
  const padding = /\s/.test(source.charAt(offset)) ? ' ' : '';
  return { offset, length: 0, content: `${padding}${list.join(', ')},` };
}

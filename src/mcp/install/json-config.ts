import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { unusableConfig } from './unusable.ts';

/**
 * Sets (or with null takes out) one server in a JSON file of a client. Not a character outside of it changes: comments,
 * order, indentation and all other keys stay. An empty text is an empty object. Throws FILE_UNREADABLE for what is no
 * JSON object.
 */
export function editJson(
  text: string,
  [key, name]: readonly [key: string, name: string],
  entry: Record<string, unknown> | null,
  file: string,
): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(bom.length);
  const source = body.trim() === '' ? '{\n}\n' : body;
  const root = readObject(source, key, file);
  const servers = findNodeAtLocation(root, [key]);
  const server = findNodeAtLocation(root, [key, name]);
  if (entry === null) {
    return server === undefined ? text : bom + takeOut(source, server.parent!, [key, name]);
  }
  const style = styleOf(source);
  if (server !== undefined) {
    const old = source.slice(server.offset, server.offset + server.length);
    if (JSON.stringify(parse(old, [], { allowTrailingComma: true })) === JSON.stringify(entry)) return text;
    return bom + splice(source, server.offset, server.length, write(entry, 2, style));
  }
  if (servers !== undefined)
    return bom + insertFirst(source, servers, name, write(entry, 2, style), 2, style);
  return bom + insertFirst(source, root, key, write({ [name]: entry }, 1, style), 1, style);
}

function readObject(source: string, key: string, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = source.slice(0, first.offset).split('\n').length;
    throw unusableConfig(file, `${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (root?.type !== 'object') throw unusableConfig(file, 'it is not a JSON object');
  const servers = findNodeAtLocation(root, [key]);
  if (servers !== undefined && servers.type !== 'object')
    throw unusableConfig(file, `"${key}" is not an object`);
  return root;
}

/** How the file is laid out; `indent` is null where everything stands in one line. */
interface Style {
  indent: string | null;
  eol: string;
}

function styleOf(text: string): Style {
  const indent = text.trim().includes('\n') ? (/^([ \t]+)\S/m.exec(text)?.[1] ?? '  ') : null;
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** As the first property: nothing that stands before or behind another one, a comma or a comment, is in the way. */
function insertFirst(
  source: string,
  object: Node,
  name: string,
  value: string,
  depth: number,
  { indent, eol }: Style,
): string {
  const at = object.offset + 1;
  const property = `${JSON.stringify(name)}:${indent === null ? '' : ' '}${value}`;
  const comma = (object.children?.length ?? 0) > 0 ? ',' : '';
  if (indent === null) return splice(source, at, 0, property + comma);
  const lead = eol + indent.repeat(depth);
  const inOneLine = !source.slice(at, object.offset + object.length).includes('\n');
  const tail = inOneLine ? eol + indent.repeat(comma === '' ? depth - 1 : depth) : '';
  return splice(source, at, 0, lead + property + comma + tail);
}

/** Undoes `insertFirst`; a server that somebody moved to the end goes with the comma before it. */
function takeOut(source: string, property: Node, path: string[]): string {
  const before = source.slice(0, property.offset);
  const after = source.slice(property.offset + property.length);
  const comma = /^\s*,/.exec(after);
  if (comma === null) return applyEdits(source, modify(source, path, undefined, {}));
  const rest = after.slice(comma[0].length);
  // A line comment before it must not swallow what follows.
  const keepsLine = /\n\s*$/.test(before) && !/^[ \t]*\r?\n/.test(rest);
  return (keepsLine ? before : before.trimEnd()) + rest;
}

function write(value: unknown, depth: number, { indent, eol }: Style): string {
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, indent).replaceAll('\n', eol + indent.repeat(depth));
}

function splice(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}

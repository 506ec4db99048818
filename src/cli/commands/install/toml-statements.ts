import { parse } from 'smol-toml';

/** A header, or a key with its value, in a TOML document. */
export interface TomlStatement {
  header: boolean;
  /** From the root of the document. */
  path: string[];
  /** The path of the header that it stands under. */
  table: string[];
  start: number;
  /** Where the value begins; of a header, its end. */
  value: number;
  /** Behind the last character: spaces, a comment and the line's end come after it. */
  end: number;
}

/** A comment from its `#` to the end of its line. */
export interface TomlComment {
  text: string;
  start: number;
  end: number;
}

/** What stands in a TOML document, in its order. */
export interface TomlDocument {
  statements: TomlStatement[];
  comments: TomlComment[];
}

/** The places of all statements and comments of a valid TOML document. */
export function tomlStatements(text: string): TomlDocument {
  const statements: TomlStatement[] = [];
  const comments: TomlComment[] = [];
  let table: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (text[at] === '#') {
      at = tomlLineEnd(text, at);
      comments.push({ text: text.slice(start, at), start, end: at });
    } else if (text[at] === '[') {
      const brackets = text.startsWith('[[', at) ? 2 : 1;
      const close = endOfKey(text, at + brackets, ']');
      at = close + brackets;
      table = keyPath(text.slice(start + brackets, close));
      statements.push({ header: true, path: table, table, start, value: at, end: at });
    } else if (/\s/.test(text[at]!)) {
      at += 1;
    } else {
      const equals = endOfKey(text, at, '=');
      const value = equals + 1 + /^[ \t]*/.exec(text.slice(equals + 1))![0].length;
      at = endOfValue(text, value);
      const path = [...table, ...keyPath(text.slice(start, equals))];
      statements.push({ header: false, path, table, start, value, end: at });
    }
  }
  return { statements, comments };
}

/** Where the line ends, before its `\n` or `\r\n`. */
export function tomlLineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** The very path. */
export function isAt(path: readonly string[], place: readonly string[]): boolean {
  return path.length === place.length && isBelow(path, place);
}

/** The path, or one that it leads to. */
export function isBelow(path: readonly string[], place: readonly string[]): boolean {
  return place.every((key, at) => path[at] === key);
}

/** The parser knows the escapes of quoted keys. */
function keyPath(source: string): string[] {
  const path: string[] = [];
  for (let node: unknown = parse(`${source} = 0`); typeof node === 'object' && node !== null; ) {
    const [[key, value]] = Object.entries(node) as [[string, unknown]];
    path.push(key);
    node = value;
  }
  return path;
}

function endOfKey(text: string, from: number, sign: string): number {
  let at = from;
  while (text[at] !== sign) at = isQuote(text[at]) ? endOfString(text, at) : at + 1;
  return at;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length && !(depth === 0 && (text[at] === '\n' || text[at] === '#'))) {
    if (isQuote(text[at])) at = endOfString(text, at);
    else if (text[at] === '#') at = tomlLineEnd(text, at);
    else {
      if ('[{'.includes(text[at]!)) depth += 1;
      if (']}'.includes(text[at]!)) depth -= 1;
      at += 1;
    }
  }
  return from + text.slice(from, at).trimEnd().length;
}

const isQuote = (sign: string | undefined) => sign === '"' || sign === "'";

/** Strings of more lines end with up to five quotes: the last three of them are the end. */
const STRING = /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'/y;

function endOfString(text: string, at: number): number {
  STRING.lastIndex = at;
  STRING.test(text);
  return STRING.lastIndex;
}

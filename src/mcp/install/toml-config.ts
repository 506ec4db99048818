import { unusableConfig } from './unusable.ts';

/**
 * Sets (or with null takes out) one server in a TOML file of a client, as a table between two marks of ours. Nothing
 * outside of the marks is read further than for a table of the same name, so nothing of it can change. Throws
 * FILE_UNREADABLE when there is such a table, written by somebody else, or when a mark lacks its other half.
 */
export function editToml(
  text: string,
  [key, name]: readonly [key: string, name: string],
  entry: Record<string, unknown> | null,
  file: string,
): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const begin = `# >>> kairos install: ${name}`;
  const end = `# <<< kairos install: ${name}`;
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const from = lines.indexOf(begin);
  const to = lines.indexOf(end);
  if ((from === -1) !== (to === -1) || to < from)
    throw unusableConfig(file, `"${begin}" and "${end}" do not belong together`);
  const before = from === -1 ? lines : lines.slice(0, from);
  const after = from === -1 ? [] : lines.slice(to + 1);
  if (entry !== null && [...before, ...after].some((line) => isTable(line, key, name))) {
    throw unusableConfig(file, `it has a table [${key}.${name}] already, which kairos install did not write`);
  }
  const block = entry === null ? [] : [begin, `[${key}.${tomlKey(name)}]`, ...assignments(entry), end];
  if (from === -1 && entry === null) return text;
  const head = trimmedEnd(before);
  const tail = trimmedStart(after);
  const parts = [head, block, tail].filter((part) => part.length > 0);
  return parts.length === 0 ? '' : parts.map((part) => part.join(eol) + eol).join(eol);
}

/** A table header, or a dotted or inline assignment, that names the same server. */
function isTable(line: string, key: string, name: string): boolean {
  const quoted = `(?:${name}|"${name}"|'${name}')`;
  const outer = `(?:${key}|"${key}"|'${key}')`;
  return (
    new RegExp(`^\\s*\\[\\s*${outer}\\s*\\.\\s*${quoted}\\s*[\\].]`).test(line) ||
    new RegExp(`^\\s*${outer}\\s*(?:=|\\.\\s*${quoted}\\s*[.=])`).test(line)
  );
}

function assignments(entry: Record<string, unknown>): string[] {
  return Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
}

/** Strings, and arrays of them: JSON's strings are TOML's basic strings but for DEL. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f');
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function trimmedEnd(lines: readonly string[]): string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1]!.trim() === '') length -= 1;
  return lines.slice(0, length);
}

function trimmedStart(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from === -1 ? [] : lines.slice(from);
}

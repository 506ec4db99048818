/**
 * The value of a YAML text as simple as most frontmatter: keys with words, versions, quoted words, and lists
 * of them. Null for anything else, faults included: then the full parser is needed, which is a hundred times
 * slower.
 */
export function plainMapping(text: string): Record<string, string | string[]> | null {
  if (text.length > MAX_LENGTH) return null;
  const mapping: Record<string, string | string[]> = {};
  /** The list that `- item` lines belong to, and how far they are indented once there is one. */
  let list: { items: string[]; indent: string | null } | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const value = plainScalar(withoutSpaces(item[2]!));
      if (list === null || value === null || (list.indent ?? item[1]) !== item[1]) return null;
      list.indent = item[1]!;
      list.items.push(value);
      continue;
    }
    const entry = ENTRY.exec(line);
    if (entry === null || list?.items.length === 0) return null;
    const key = entry[1]!;
    const written = withoutSpaces(entry[2]!);
    if (Object.hasOwn(mapping, key)) return null;
    list = written === '' ? { items: [], indent: null } : null;
    const value = list === null ? entryValue(written) : list.items;
    if (value === null) return null;
    mapping[key] = value;
  }
  return list?.items.length === 0 ? null : mapping;
}

const MAX_LENGTH = 4096;
const ENTRY = /^([a-z][a-z_-]{0,63}):(| +\S.*)$/;
const ITEM = /^( {0,8})- +(\S.*)$/;
/** Begins with a letter, and contains nothing special in YAML 1.2. */
const WORDS = /^[A-Za-z][A-Za-z0-9]*(?:[ ._/-]+[A-Za-z0-9]+)*$/;
/** Two dots: not a number. */
const VERSION = /^\d+\.\d+\.\d+(?:-[A-Za-z][A-Za-z0-9.]*)?$/;
const QUOTED = /^"([\w ./-]*)"$|^'([\w ./-]*)'$/;
/** The words of the core schema that are not text (YAML 1.2.2, section 10.3.2). */
const RESERVED = /^(?:true|false|null)$/i;
const FLOW = /^\[ *([^[\]{}"',]+(?:, *[^[\]{}"',]+)*)\]$/;

function entryValue(written: string): string | string[] | null {
  const flow = FLOW.exec(written);
  if (flow === null) return plainScalar(written);
  const items: string[] = [];
  for (const piece of flow[1]!.split(',')) {
    const item = plainScalar(withoutSpaces(piece));
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

/** A word, a version or a quoted word; null when a text is anything else, or might be. */
function plainScalar(written: string): string | null {
  if (WORDS.test(written)) return RESERVED.test(written) ? null : written;
  if (VERSION.test(written)) return written;
  const quoted = QUOTED.exec(written);
  return quoted === null ? null : (quoted[1] ?? quoted[2]!);
}

const SPACE = 32;

/** Only spaces: other white space may be part of a value. */
function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  return text.slice(start, end);
}

/**
 * The value of a YAML text as simple as most step blocks: mappings in mappings, words, whole numbers, quoted
 * texts. Null for anything else, faults included: then the full parser is needed, which is a hundred times
 * slower.
 */
export function plainYaml(text: string): Record<string, unknown> | null {
  if (text.length > MAX_LENGTH) return null;
  const root: Record<string, unknown> = {};
  const open: Level[] = [{ indent: 0, mapping: root }];
  /** Set after a key without a value: its mapping has to come next, and be indented more. */
  let awaits: Record<string, unknown> | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = LEVEL_ENTRY.exec(line);
    if (entry === null) return null;
    const indent = entry[1]!.length;
    if (awaits !== null) {
      if (indent <= open.at(-1)!.indent) return null;
      open.push({ indent, mapping: awaits });
    }
    while (open.length > 1 && indent < open.at(-1)!.indent) open.pop();
    const { indent: own, mapping } = open.at(-1)!;
    const key = entry[2]!;
    if (indent !== own || Object.hasOwn(mapping, key)) return null;
    awaits = entry[3] === undefined ? {} : null;
    const value = awaits ?? scalar(entry[3]!);
    if (value === null) return null;
    mapping[key] = value;
  }
  return awaits === null && Object.keys(root).length > 0 ? root : null;
}

interface Level {
  indent: number;
  mapping: Record<string, unknown>;
}

const LEVEL_ENTRY = /^( {0,40})([a-z][a-z_]{0,63}):(?: (\S.*))?$/;
const WHOLE = /^(?:0|[1-9][0-9]{0,8})$/;
/** Printable ASCII that neither quote nor escape ends early. */
const QUOTED_TEXT = /^"([ !#-[\]-~]*)"$|^'([ -&(-~]*)'$/;

function scalar(written: string): string | number | boolean | null {
  if (WHOLE.test(written)) return Number(written);
  if (written === 'true' || written === 'false') return written === 'true';
  const quoted = QUOTED_TEXT.exec(written);
  return quoted === null ? plainScalar(written) : (quoted[1] ?? quoted[2]!);
}

import { isObject } from '../base/json.ts';
import { dotted } from './block/value.ts';
import { isSlug } from './identity.ts';
import { NUMBER, readInputs } from './inputs.ts';
import { lazy } from './late.ts';
import type { FrontmatterNode, Place, Problem } from './model.ts';
import { type LineIndex, placeBetween } from './position.ts';
import type { Lines } from './scan/blocks.ts';
import { isVersion } from './terms.ts';

/** Reads YAML frontmatter. Foreign keys are kept and not checked. */
export function readFrontmatter(
  source: string,
  lines: LineIndex,
  { first, last }: Lines,
): { node: FrontmatterNode; problems: Problem[] } {
  const { starts, ends } = lines;
  const place = placeBetween(lines, starts[first]!, starts[last]! + 3);
  const node: FrontmatterNode = {
    data: {},
    slug: undefined,
    version: undefined,
    tags: [],
    inputs: {},
    holds: [],
    place,
  };
  const from = starts[first + 1]!;
  const text = last > first + 1 ? source.slice(from, ends[last - 1]!).replace(/\r(?!\n)/g, '\n') : '';
  if (text.trim() === '') return { node, problems: [] };
  const plain = plainMapping(text);
  if (plain !== null && !('inputs' in plain || 'holds' in plain) && takeOver(plain, node).length === 0)
    return { node, problems: [] };
  const { readYaml } = lazy('yaml');
  const reading = readYaml(text);
  const inText = (start: number, end: number): Place => placeBetween(lines, from + start, from + end);
  if ('error' in reading) {
    const { fault, detail, start, end } = reading.error;
    return {
      node,
      problems: [problem('frontmatter-unreadable', inText(start, end), { fault, found: detail })],
    };
  }
  if (!isObject(reading.value)) {
    return { node, problems: [problem('frontmatter-unreadable', place, { fault: 'not-a-mapping' })] };
  }
  const { value, locate } = reading;
  const problems = takeOver(value, node).map((key) => {
    const at = locate(inText).value([key]);
    const found = source.slice(at.start.offset, at.end.offset);
    return problem(`frontmatter-bad-${key}`, at, { found, type: typeof value[key] });
  });
  if (value.inputs !== undefined && value.inputs !== null) {
    const { inputs, problems: found } = readInputs(
      withNumbersAsWritten(value.inputs, (path) => {
        const at = locate(inText).value(['inputs', ...path]);
        return source.slice(at.start.offset, at.end.offset);
      }),
    );
    node.inputs = inputs;
    for (const { path, issue, args } of found) {
      const at = locate(inText);
      const written = ['inputs', ...path];
      const isKey = issue === 'unknown-key' || issue.startsWith('name-');
      problems.push(
        problem('frontmatter-bad-inputs', isKey ? at.key(written) : at.value(written), {
          issue,
          name: path[0] === undefined ? undefined : String(path[0]),
          ...args,
        }),
      );
    }
  }
  if (value.holds !== undefined && value.holds !== null) {
    const { readProposedHolds } = lazy('holds');
    const { holds, problems: found } = readProposedHolds(value.holds);
    node.holds = holds;
    for (const { path, fault, isKey } of found) {
      const at = locate(inText);
      const place = isKey ? at.key(path) : at.value(path);
      problems.push(problem('frontmatter-bad-holds', place, { path: dotted(path), fault }));
    }
  }
  return { node, problems };
}

/** `default: 1.10` is the text 1.10: YAML would make 1.1 of it. Numbers in another form than JSON's stay what YAML reads. */
function withNumbersAsWritten(inputs: unknown, writtenAt: (path: string[]) => string): unknown {
  if (!isObject(inputs)) return inputs;
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      if (!isObject(input) || typeof input.default !== 'number') return [name, input];
      const written = writtenAt([name, 'default']);
      return [name, NUMBER.test(written) ? { ...input, default: written } : input];
    }),
  );
}

/** Copies the valid values of a mapping into the node. Returns the known keys with invalid values. */
function takeOver(data: Record<string, unknown>, node: FrontmatterNode): ('slug' | 'version' | 'tags')[] {
  const refused: ('slug' | 'version' | 'tags')[] = [];
  node.data = data;
  const { slug, version, tags } = data;
  if (typeof slug === 'string' && isSlug(slug)) node.slug = slug;
  else if (slug !== undefined) refused.push('slug');
  if (typeof version === 'string' && isVersion(version)) node.version = version;
  else if (version !== undefined) refused.push('version');
  if (areTags(tags)) node.tags = tags;
  else if (tags !== undefined && tags !== null) refused.push('tags');
  return refused;
}

function areTags(value: unknown): value is string[] {
  const isTag = (tag: unknown): boolean =>
    typeof tag === 'string' && tag.trim() !== '' && !/[\p{Cs}\0]/u.test(tag);
  return Array.isArray(value) && value.every(isTag);
}

function problem(code: Problem['code'], place: Place, args: Problem['args']): Problem {
  return { code, severity: 'error', place, args };
}

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

import { parse, stringify } from 'yaml';
import { KairosError } from '../../base/errors.ts';
import { readToml, type TomlDocument } from '../../formats/toml.ts';
import { readPlainYaml } from '../../formats/yaml.ts';
import { deriveSlug, isSlug } from '../identity.ts';
import { inlineSource } from '../outline.ts';
import { type Block, trimSpace } from '../scan/blocks.ts';
import { isVersion } from '../terms.ts';
import { BOLD_STEP, type Heading, PLAIN_STEP, withoutStepMark } from './carriers.ts';
import type { ImportDecision } from './demands.ts';
import { labelOf } from './parameters.ts';

export function readData(yaml: string): Record<string, unknown> {
  try {
    const value: unknown = parse(yaml);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    // Cursor writes patterns without quotes, and `globs: *.ts` isn't valid YAML.
    const pairs = [...yaml.matchAll(/^([\w-]+):[ \t]*(.*)$/gm)];
    return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value.trim()]));
  }
}

/** The line of a key in the rows of a frontmatter (1-based); the first line for a key that has no line. */
export function keyLines(rows: readonly string[]): (key: string) => number {
  return (key) => rows.findIndex((row) => /^["']?([\w-]+)["']?[ \t]*[:=]/.exec(row)?.[1] === key) + 1 || 1;
}

/**
 * The frontmatter of TOML between rows of `+++`, which Hugo has, as YAML with its comments; null without it. Its rows become
 * blank: nothing else reads them. Throws PROTOCOL_INVALID if it can't be read.
 */
export function takeToml(lines: string[]): { yaml: string; last: number } | null {
  const isMark = (row: string) => /^\+\+\+[ \t]*$/.test(row);
  const last = isMark(lines[0]!) ? lines.findIndex((row, at) => at > 0 && isMark(row)) : -1;
  if (last === -1) return null;
  const text = lines.slice(1, last).join('\n');
  const read = readToml(text);
  if ('message' in read) {
    const fault = `line ${read.line + 1}: the TOML between the rows of +++ can't be read: ${read.message}`;
    throw new KairosError('PROTOCOL_INVALID', fault, {
      hint: 'Correct it, or write YAML between rows of ---.',
    });
  }
  lines.fill('', 0, last + 1);
  return { yaml: yamlOf(text, read), last };
}

function yamlOf(text: string, { content, statements, comments }: TomlDocument): string {
  // A comment belongs to the statement on its line, else to the one below.
  const rows = comments.map((comment) => ({
    text: comment.text,
    key: (
      statements.findLast(
        ({ start, end }) => start < comment.start && !text.slice(end, comment.start).includes('\n'),
      ) ?? statements.find(({ start }) => start > comment.start)
    )?.path[0],
  }));
  const above = (wanted?: string) => rows.flatMap(({ key, text: row }) => (key === wanted ? [row] : []));
  const parts = Object.entries(content).flatMap(([key, value]) => {
    const own = statements.find(({ header, path }) => !header && path.length === 1 && path[0] === key);
    // Dates, and numbers that JavaScript rounds in their own spelling.
    const isExact = !(value instanceof Date) && !(Number.isInteger(value) && !Number.isSafeInteger(value));
    const written = own === undefined || isExact ? value : text.slice(own.value, own.end);
    return [...above(key), oneKey(key, written)];
  });
  return [...parts, ...above()].join('\n');
}

/**
 * The frontmatter, unchanged except for what the import adds. A key that kairos reads differently is renamed, and YAML that kairos
 * doesn't read (anchors, tags) is rewritten.
 */
export function headOf(
  yaml: string,
  data: Record<string, unknown>,
  added: Record<string, unknown>,
  lineOfKey: (key: string) => number,
  decisions: ImportDecision[],
): string {
  const rows = rowsByKey(yaml);
  const own = ownKeys(data, lineOfKey, decisions);
  const kept = Object.entries(own).map(([key, value]) => {
    const { comments = '', rest = null } = rows.get(key in data ? key : key.replace(/^source-/, '')) ?? {};
    const isAsWritten = rest !== null && (key !== 'tags' || Array.isArray(data.tags));
    return `${comments}${isAsWritten ? `${oneKey(key, 0).slice(0, -3)}${rest}` : oneKey(key, value)}`;
  });
  const slug = rows.get('slug')?.comments.trimEnd() ?? '';
  const more = Object.entries(added).map(([key, value]) => oneKey(key, value));
  return [slug, ...more, ...kept].filter((part) => part !== '').join('\n');
}

function oneKey(key: string, value: unknown): string {
  return stringify({ [key]: value }, { lineWidth: 0 }).trimEnd();
}

const ANCHOR_OR_TAG = /[\s[{,][&*!][\w!-]/;

const COMMENTS = '(?:(?:#.*)?\\n)*';
const KEY = `(?:[\\w-]+|"[\\w -]+"|'[\\w -]+'):(?=\\s|$)`;
/** Before the comments of a key, and before the key. */
const KEY_START = new RegExp(`^(?<!^(?:#.*)?\\n)(?=${COMMENTS}${KEY})`, 'm');
const KEY_PART = new RegExp(`^(${COMMENTS})${KEY}`);

/** Of each key, the comments above it, and its source from the colon on if kairos can read it. */
function rowsByKey(yaml: string): Map<string, { comments: string; rest: string | null }> {
  const found = new Map<string, { comments: string; rest: string | null }>();
  for (const part of yaml.split(KEY_START)) {
    const [start, comments = ''] = KEY_PART.exec(part) ?? [];
    if (start === undefined) continue;
    const read = readPlainYaml(part);
    const [key, ...others] = 'fault' in read ? [] : Object.keys(read.value as object);
    const name = key ?? start.slice(comments.length, -1).replace(/^["']|["']$/g, '');
    const isRead = key !== undefined && others.length === 0 && !ANCHOR_OR_TAG.test(part);
    found.set(name, { comments, rest: isRead ? part.slice(start.length - 1).trimEnd() : null });
  }
  return found;
}

/** Frontmatter with the values that kairos reads under these keys; those of other tools get another key. */
function ownKeys(
  data: Record<string, unknown>,
  lineOfKey: (key: string) => number,
  decisions: ImportDecision[],
): Record<string, unknown> {
  const { version, tags, inputs, slug: _, ...rest } = data;
  const moved = (key: string, value: unknown) => {
    decisions.push({
      line: lineOfKey(key),
      what: `frontmatter: ${key} kept as source-${key}, because kairos reads another value there`,
    });
    return { [`source-${key}`]: value };
  };
  const list = typeof tags === 'string' ? tags.split(/[\s,]+/).filter((tag) => tag !== '') : tags;
  const isList = Array.isArray(list) && list.every((tag) => typeof tag === 'string' && tag.trim() !== '');
  return {
    ...rest,
    ...(version === undefined
      ? {}
      : typeof version === 'string' && isVersion(version)
        ? { version }
        : moved('version', version)),
    ...(tags === undefined || tags === null ? {} : isList ? { tags: list } : moved('tags', tags)),
    ...(inputs === undefined ? {} : moved('inputs', inputs)),
  };
}

interface Range {
  from: number;
  to: number;
  title: Heading | null;
}

/** The lines of the document or of one of its sections, whose heading is then the title. Throws USAGE for an unknown section. */
export function importedRange(
  headings: readonly Heading[],
  end: number,
  from: number,
  section: string | undefined,
): Range {
  if (section === undefined) return { from, to: end, title: null };
  const wanted = section.toLowerCase().trim();
  const at = headings.findIndex(({ raw }) => raw.toLowerCase() === wanted);
  if (at === -1) {
    throw new KairosError('USAGE', `there is no section ${JSON.stringify(section)}`, {
      hint: `Sections: ${headings.map(({ raw }) => raw).join(', ')}.`,
    });
  }
  const title = headings[at]!;
  const next = headings.slice(at + 1).find(({ depth }) => depth <= title.depth);
  return { from: title.first, to: next?.first ?? end, title };
}

export function titleOf(
  h1: Heading | null,
  data: Record<string, unknown>,
  name: string,
  lineOfKey: (key: string) => number,
  decisions: ImportDecision[],
): string {
  if (h1 !== null && h1.raw !== '') return h1.raw;
  const key = ['title', 'name'].find((each) => typeof data[each] === 'string' && data[each].trim() !== '');
  const title =
    key !== undefined ? (data[key] as string).trim() : name.replace(/[-_]+/g, ' ').trim() || 'Untitled';
  decisions.push({
    line: key === undefined ? 1 : lineOfKey(key),
    what: `title from the ${key === undefined ? "file's name" : 'frontmatter'}: ${title}`,
  });
  return inlineSource(title.replace(/\s+/g, ' '));
}

export function slugOf(
  data: Record<string, unknown>,
  title: string,
  lineOfKey: (key: string) => number,
  decisions: ImportDecision[],
): string {
  for (const key of ['slug', 'name']) {
    const value = data[key];
    if (typeof value === 'string' && isSlug(value)) return value;
    if (key === 'slug' && value !== undefined)
      decisions.push({
        line: lineOfKey(key),
        what: `the slug ${JSON.stringify(value)} is left out, because it has another form`,
      });
  }
  return deriveSlug(title);
}

/** The phrase that finds the protocol: what a document is called where it has no description, proof or alert. */
export function triggerOf(
  data: Record<string, unknown>,
  { title, isAlert, isProven }: { title: string; isAlert: boolean; isProven: boolean },
  lineOfKey: (key: string) => number,
  decisions: ImportDecision[],
): string | null {
  const description =
    typeof data.description === 'string' ? data.description.replace(/\s+/g, ' ').trim() : '';
  if (description !== '') {
    decisions.push({
      line: lineOfKey('description'),
      what: 'trigger from the description of the frontmatter',
    });
    return description;
  }
  if (!isAlert && isProven) return null;
  const reason = isAlert
    ? "the runbook is looked for by its alert's name"
    : 'a document without proofs, triggers and completion rule is prose';
  decisions.push({ line: 1, what: `trigger from the title, because ${reason}` });
  return title;
}

/** A heading of plain text in HTML, which pages for a forge use to centre their title. */
const HTML_HEADING = /^ {0,3}<h([1-6])\b[^>]*>\s*([^<>*_`[\]\\]*\S)\s*<\/h\1>\s*$/i;

/** The headings of a document, with those in HTML and the rows of paragraphs that begin with the number of a step. */
export function headingsOf(
  lines: readonly string[],
  blocks: readonly Block[],
  texts: ReadonlyMap<number, string>,
): Heading[] {
  const all: Heading[] = [];
  const rows = blocks.flatMap(({ type, first, last }) =>
    type === 'paragraph' ? lines.slice(first, last + 1) : [],
  );
  const isPlain = rows.filter((row) => PLAIN_STEP.test(row) || BOLD_STEP.test(row)).length >= 2;
  let depth = 1;
  for (const { first, last, ...block } of blocks) {
    const [, level, html] = HTML_HEADING.exec(lines.slice(first, last + 1).join(' ')) ?? [];
    if (block.type === 'heading') {
      depth = block.depth;
      all.push({ depth, raw: rawOf(lines, first, last), first, last, text: texts.get(first) });
    } else if (html !== undefined) {
      depth = Number(level);
      all.push({ depth, raw: trimSpace(html), first, last });
    } else if (block.type === 'paragraph')
      for (let line = first; line <= last; line += 1) {
        const bold = BOLD_STEP.exec(lines[line]!);
        const found = bold ?? (isPlain ? PLAIN_STEP.exec(lines[line]!) : null);
        if (found === null) continue;
        const [, name = '', text = ''] = found;
        const isNumber = bold === null || (text !== '' && withoutStepMark(name) === name);
        const raw = isNumber ? `${name.replace(/[\s:.–—-]+$/, '')}: ${labelOf(text)}` : name.trim();
        all.push({ depth: Math.min(depth + 1, 4), raw, first: line, last: line, text });
      }
  }
  return all;
}

export function rawOf(lines: readonly string[], first: number, last: number): string {
  if (first < last) return trimSpace(lines.slice(first, last).join(' '));
  return trimSpace(lines[first]!.replace(/^ {0,3}#{1,6}[ \t]*/, '').replace(/[ \t]+#+[ \t]*$/, ''));
}

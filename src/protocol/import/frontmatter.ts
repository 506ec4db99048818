import { parse, stringify } from 'yaml';
import { readPlainYaml } from '../../formats/yaml.ts';
import { deriveSlug, isSlug } from '../identity.ts';
import { inlineSource } from '../outline.ts';
import { isVersion } from '../terms.ts';
import type { Heading } from './carriers.ts';
import type { ImportDecision } from './demands.ts';

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

/**
 * The frontmatter, unchanged except for what the import adds. A key that kairos reads differently is renamed, and YAML that kairos
 * doesn't read (anchors, tags) is rewritten.
 */
export function headOf(
  yaml: string,
  data: Record<string, unknown>,
  added: Record<string, unknown>,
  decisions: ImportDecision[],
): string {
  const rows = rowsByKey(yaml);
  const kept = Object.entries(ownKeys(data, decisions)).map(([key, value]) => {
    const original = key in data ? key : key.replace(/^source-/, '');
    const written = rows.get(original);
    const isList = key !== 'tags' || Array.isArray(data.tags);
    return written === undefined || !isList ? oneKey(key, value) : `${key}${written.slice(original.length)}`;
  });
  return [...kept, ...Object.entries(added).map(([key, value]) => oneKey(key, value))].join('\n');
}

function oneKey(key: string, value: unknown): string {
  return stringify({ [key]: value }, { lineWidth: 0 }).trimEnd();
}

const ANCHOR_OR_TAG = /[\s[{,][&*!][\w!-]/;

/** The source of each key without quotes, if kairos can read it. */
function rowsByKey(yaml: string): Map<string, string> {
  const parts = yaml.split(/^(?=[\w-]+:(?:[ \t]|$))/m).map((part) => part.trimEnd());
  const read = parts.filter(
    (part) => /^[\w-]+:/.test(part) && !ANCHOR_OR_TAG.test(part) && !('fault' in readPlainYaml(part)),
  );
  return new Map(read.map((part) => [part.slice(0, part.indexOf(':')), part]));
}

/** Frontmatter with the values that kairos reads under these keys; those of other tools get another key. */
function ownKeys(data: Record<string, unknown>, decisions: ImportDecision[]): Record<string, unknown> {
  const { version, tags, inputs, slug: _, ...rest } = data;
  const moved = (key: string, value: unknown) => {
    decisions.push({
      line: 1,
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

export function titleOf(
  h1: Heading | null,
  data: Record<string, unknown>,
  name: string,
  decisions: ImportDecision[],
): string {
  if (h1 !== null && h1.raw !== '') return h1.raw;
  const given = [data.title, data.name].find((value) => typeof value === 'string' && value.trim() !== '');
  const title = typeof given === 'string' ? given.trim() : name.replace(/[-_]+/g, ' ').trim() || 'Untitled';
  decisions.push({
    line: 1,
    what: `title from the ${given === undefined ? "file's name" : 'frontmatter'}: ${title}`,
  });
  return inlineSource(title.replace(/\s+/g, ' '));
}

export function slugOf(data: Record<string, unknown>, title: string, decisions: ImportDecision[]): string {
  for (const key of ['slug', 'name']) {
    const value = data[key];
    if (typeof value === 'string' && isSlug(value)) return value;
    if (key === 'slug' && value !== undefined)
      decisions.push({
        line: 1,
        what: `the slug ${JSON.stringify(value)} is left out, because it has another form`,
      });
  }
  return deriveSlug(title);
}

/** The phrase that finds the protocol: what a document is called where it has no description, proof or alert. */
export function triggerOf(
  data: Record<string, unknown>,
  { title, isAlert, isProven }: { title: string; isAlert: boolean; isProven: boolean },
  decisions: ImportDecision[],
): string | null {
  const description =
    typeof data.description === 'string' ? data.description.replace(/\s+/g, ' ').trim() : '';
  if (description !== '') {
    decisions.push({ line: 1, what: 'trigger from the description of the frontmatter' });
    return description;
  }
  if (!isAlert && isProven) return null;
  const reason = isAlert
    ? "the runbook is looked for by its alert's name"
    : 'a document without proofs, triggers and completion rule is prose';
  decisions.push({ line: 1, what: `trigger from the title, because ${reason}` });
  return title;
}

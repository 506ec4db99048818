import { isObject } from './block/value.ts';
import { isSlug } from './identity.ts';
import type { FrontmatterNode, Place, Problem } from './model.ts';
import { type LineIndex, placeBetween } from './position.ts';
import type { Lines } from './scan/blocks.ts';
import { isVersion } from './version.ts';

/** Reads YAML frontmatter. Keys that are not ours are kept and not judged. */
export async function readFrontmatter(
  source: string,
  lines: LineIndex,
  { first, last }: Lines,
): Promise<{ node: FrontmatterNode; problems: Problem[] }> {
  const { starts, ends } = lines;
  const place = placeBetween(lines, starts[first]!, starts[last]! + 3);
  const node: FrontmatterNode = { data: {}, slug: undefined, version: undefined, tags: [], place };
  const from = starts[first + 1]!;
  const text = last > first + 1 ? source.slice(from, ends[last - 1]!).replace(/\r(?!\n)/g, '\n') : '';
  if (text.trim() === '') return { node, problems: [] };
  const { readYaml } = await import('./block/yaml.ts');
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
  node.data = reading.value;
  const problems: Problem[] = [];
  const { slug, version, tags } = node.data;
  const refuse = (code: Problem['code'], key: string, value: unknown): void => {
    const found = JSON.stringify(value);
    problems.push(problem(code, reading.locate(inText).value([key]), { found, type: typeof value }));
  };
  if (typeof slug === 'string' && isSlug(slug)) node.slug = slug;
  else if (slug !== undefined) refuse('frontmatter-bad-slug', 'slug', slug);
  if (typeof version === 'string' && isVersion(version)) node.version = version;
  else if (version !== undefined) refuse('frontmatter-bad-version', 'version', version);
  if (areTags(tags)) node.tags = tags;
  else if (tags !== undefined && tags !== null) refuse('frontmatter-bad-tags', 'tags', tags);
  return { node, problems };
}

function areTags(value: unknown): value is string[] {
  const isTag = (tag: unknown): boolean =>
    typeof tag === 'string' && tag.trim() !== '' && !/[\p{Cs}\0]/u.test(tag);
  return Array.isArray(value) && value.every(isTag);
}

function problem(code: Problem['code'], place: Place, args: Problem['args']): Problem {
  return { code, severity: 'error', place, args };
}

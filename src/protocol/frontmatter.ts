import { isObject } from '../base/json.ts';
import { isSlug } from './identity.ts';
import { readInputs } from './inputs.ts';
import { lazy } from './late.ts';
import type { FrontmatterNode, Place, Problem } from './model.ts';
import { plainMapping } from './plain-mapping.ts';
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
    place,
  };
  const from = starts[first + 1]!;
  const text = last > first + 1 ? source.slice(from, ends[last - 1]!).replace(/\r(?!\n)/g, '\n') : '';
  if (text.trim() === '') return { node, problems: [] };
  const plain = plainMapping(text);
  if (plain !== null && !('inputs' in plain) && takeOver(plain, node).length === 0)
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
    const { inputs, problems: found } = readInputs(value.inputs);
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
  return { node, problems };
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

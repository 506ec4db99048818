import { suggest } from '../../base/errors.ts';
import { isSlug } from '../../protocol/identity.ts';
import { isVersion } from '../../protocol/terms.ts';
import type { LintRule } from '../rule.ts';
import { frontmatterKey, KNOWN_KEYS, seemsMeant } from './support/blocks.ts';

export const frontmatterUnknownKey: LintRule = {
  id: 'frontmatter-unknown-key',
  family: 'frontmatter',
  severity: 'warning',
  summary: 'Keys of the frontmatter that look like kairos keys are read.',
  why: 'kairos reads slug, version, tags, inputs and holds. Otherwise a typo in one of them is not noticed: the protocol gets the slug of its title, or no version, and is stored under an unexpected address. And a key of a step block has no effect there.',
  fixable: 'unsafe',
  check(context) {
    const { frontmatter } = context.document;
    if (frontmatter === null) return;
    for (const key of Object.keys(frontmatter.data)) {
      if (!seemsMeant(key)) continue;
      const place = frontmatterKey(context, frontmatter, key);
      const meant = suggest(key, KNOWN_KEYS);
      const isFree = meant !== undefined && frontmatter.data[meant] === undefined;
      const isUsable = isFree && suits(meant, frontmatter.data[key], context.document.chains.length);
      const range: [number, number] = [place.start.offset, place.end.offset];
      const canRename = isUsable && context.source.slice(...range) === key;
      context.report({
        place,
        reason: `The key ${key} is not read, so it has no effect. ${isFree ? `Did you mean ${meant}?` : 'Remove it; slug, version, tags, inputs and holds are read.'}`,
        actual: key,
        ...(canRename ? { expected: [meant], fix: { range, replacement: meant, safe: false } } : {}),
      });
    }
  },
};

/** Whether a value could belong to a known key of this document. */
function suits(key: string, value: unknown, chains: number): boolean {
  if (key === 'tags') return Array.isArray(value) && value.every((tag) => typeof tag === 'string');
  if (typeof value !== 'string') return false;
  return key === 'slug' ? isSlug(value) && chains === 1 : isVersion(value);
}

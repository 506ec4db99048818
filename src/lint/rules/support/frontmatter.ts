import { suggest } from '../../../base/errors.ts';
import type { FrontmatterNode, Place } from '../../../protocol/model.ts';
import { FRONTMATTER_KEYS } from '../../../protocol/terms.ts';
import type { RuleContext } from '../../rule.ts';

/** What is read of frontmatter. */
export const KNOWN_KEYS: readonly string[] = FRONTMATTER_KEYS;

/** What belongs into a step block. */
const BLOCK_KEYS: ReadonlySet<string> = new Set([
  ...['proof_of_work', 'challenge', 'proposal', 'outputs', 'sampling', 'triggers', 'completion_rule'],
  ...['cmd', 'timeout_seconds', 'workdir', 'env', 'required', 'assurance', 'approval_class'],
]);

/** Whether a key that is not read seems to be meant for kairos: a slip in a known one, or one of a step block. */
export function seemsMeant(key: string): boolean {
  if (KNOWN_KEYS.includes(key)) return false;
  return BLOCK_KEYS.has(key) || suggest(key, KNOWN_KEYS) !== undefined;
}

/** Where a key of the frontmatter is written; the whole frontmatter where that is not simple. */
export function frontmatterKey(
  { source, place }: Pick<RuleContext, 'source' | 'place'>,
  frontmatter: FrontmatterNode,
  key: string,
): Place {
  const start = frontmatter.place.start.offset;
  const text = source.slice(start, frontmatter.place.end.offset);
  for (const quote of ['', '"', "'"]) {
    const written = `\n${quote}${key}${quote}:`;
    const at = text.replaceAll('\r', '\n').indexOf(written);
    if (at !== -1) return place(start + at + 1, start + at + written.length - 1);
  }
  return frontmatter.place;
}

import type { FrontmatterNode, Place } from '../../../protocol/model.ts';
import { frontmatterSchema } from '../../../protocol/schema.ts';
import type { RuleContext } from '../../rule.ts';

/** What is read of frontmatter. */
export const KNOWN_KEYS: readonly string[] = Object.keys(frontmatterSchema.shape);

/** What authors write for site generators, note keepers and agents. */
export const UNUSED_KEYS: ReadonlySet<string> = new Set([
  ...[
    'title',
    'name',
    'description',
    'summary',
    'author',
    'authors',
    'owner',
    'owners',
    'maintainer',
    'team',
  ],
  ...['date', 'created', 'updated', 'last_updated', 'last_reviewed_on', 'review_in', 'published', 'draft'],
  ...[
    'layout',
    'category',
    'categories',
    'parent',
    'nav_order',
    'weight',
    'sidebar',
    'sidebar_position',
    'menu',
  ],
  ...[
    'permalink',
    'redirect_from',
    'aliases',
    'alias',
    'lang',
    'language',
    'license',
    'status',
    'id',
    'type',
  ],
  ...['keywords', 'section', 'order', 'toc', 'image', 'icon', 'cover', 'owner_slack', 'hide', 'search'],
  ...['allowed-tools', 'model', 'metadata', 'compatibility', 'globs', 'alwaysapply', 'argument-hint'],
]);

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

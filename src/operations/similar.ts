import { stepUri } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { OperationContext } from './context.ts';

/** Share of common words above which two titles count as the same procedure. */
const SIMILAR = 0.8;
const LITTLE_WORDS = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'and', 'in', 'on', 'with']);

/**
 * Another live chain of the space with nearly this title, or null. One with the same slug may have just been
 * added.
 */
export async function findSimilar(
  ctx: OperationContext,
  space: string,
  { title, slug }: Pick<ChainContent, 'title' | 'slug'>,
): Promise<{ uri: string; slug: string } | null> {
  const hits = await ctx.store.searchChains({ query: title, limit: 10, spaces: [space] });
  const hit = hits.find(({ chain }) => chain.slug !== slug && titleLikeness(chain.title, title) >= SIMILAR);
  return hit === undefined ? null : { uri: stepUri(hit.chain.chainId, 1), slug: hit.chain.slug };
}

/** Jaccard index of the words of two titles, folded, without stop words: from 0 to 1. */
export function titleLikeness(left: string, right: string): number {
  const a = words(left);
  const b = words(right);
  const shared = [...a].filter((word) => b.has(word)).length;
  const all = new Set([...a, ...b]).size;
  return all === 0 ? 0 : shared / all;
}

function words(title: string): Set<string> {
  const folded = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const found = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(found.filter((word) => !LITTLE_WORDS.has(word)));
}

import { KairosError } from '../base/errors.ts';
import { requireIntactContent } from './intact.ts';
import type { Revision, Store } from './port.ts';

/**
 * A store that returns no content whose hash differs from its digest. Otherwise callers would compare with
 * it, change, show or run it as if it had been minted. Throws STORE_DAMAGED. Exports pass, because they
 * report damage themselves.
 */
export function withIntactContents(store: Store): Store {
  const intact = async (revision: Promise<Revision | null>) => {
    const found = await revision;
    return found === null ? null : requireIntactContent(found);
  };
  return {
    ...store,
    head: (chainId) => intact(store.head(chainId)),
    headBySlug: (space, slug) => intact(store.headBySlug(space, slug)),
    revisionByDigest: (chainId, digest) => intact(store.revisionByDigest(chainId, digest)),
    revisions: async (chainId) => (await store.revisions(chainId)).map(requireIntactContent),
    chainRecord: async (chainId) => {
      const record = await store.chainRecord(chainId);
      record?.revisions.forEach(requireIntactContent);
      return record;
    },
  };
}

/** For callers that can do without a content and report that it was changed. */
export async function orDamaged<T>(content: Promise<T>): Promise<T | 'damaged'> {
  try {
    return await content;
  } catch (error) {
    if (error instanceof KairosError && error.code === 'STORE_DAMAGED') return 'damaged';
    throw error;
  }
}

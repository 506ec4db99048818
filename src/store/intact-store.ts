import { KairosError } from '../base/errors.ts';
import { requireIntactContent } from './intact.ts';
import type { Revision, Store } from './port.ts';

/**
 * A store that hands out no content as stored that does not hash to its digest: whoever compares with it, changes it,
 * shows it or walks it would make what somebody put there look as if it had been minted. Throws STORE_DAMAGED. Exports
 * are let through: they name what is not whole themselves.
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

/** For whoever can do without a content, and has to say that it was changed. */
export async function orDamaged<T>(content: Promise<T>): Promise<T | 'damaged'> {
  try {
    return await content;
  } catch (error) {
    if (error instanceof KairosError && error.code === 'STORE_DAMAGED') return 'damaged';
    throw error;
  }
}

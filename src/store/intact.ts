import { GENESIS_HASH } from '../base/canonical.ts';
import { hereCommand, plainCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { hashOnce } from '../base/memoize.ts';
import { checkTombstone } from '../ledger/beside.ts';
import { entryHash, type LedgerEntry } from '../ledger/entry.ts';
import { digest } from '../protocol/identity.ts';
import type { Revision, RunRow, Store } from './port.ts';

/**
 * Trust, pins and ledgers name a content by its digest, but another program could change the content in the
 * store's file. So the content is hashed again before it is begun, trusted or run. Throws STORE_DAMAGED.
 */
export function requireIntactContent(revision: Revision): Revision {
  if (isIntactContent(revision)) return revision;
  const { digest: named, chainId } = revision;
  throw damaged(`the content stored as ${named} of chain ${chainId} is not the one that its digest names`);
}

/** Whether a stored content hashes to its digest. What has no hash at all was never stored by kairos. */
export function isIntactContent({ content, digest: named }: Revision): boolean {
  try {
    return hashOnce(content, digest) === named;
  } catch {
    return false;
  }
}

/**
 * Checks the ledger entries after the given one (null: all) and the run's index row, so that kairos never continues or seals a
 * changed run. The row was read before the entries, so it may count fewer, but not fewer than `before`. Throws STORE_DAMAGED.
 */
export function requireIntactLedger(
  { runId, entryCount, head, tombstone }: RunRow,
  after: Pick<LedgerEntry, 'seq' | 'hash'> | null,
  entries: readonly LedgerEntry[],
  before = 0,
): void {
  if (tombstone !== undefined) throw pruned(runId, tombstone);
  const first = after === null ? 0 : after.seq + 1;
  const count = first + entries.length;
  let prev = after?.hash ?? GENESIS_HASH;
  for (const [at, entry] of entries.entries()) {
    const seq = first + at;
    if (entry?.seq !== seq || entry.prev !== prev || hashOf(entry) !== entry.hash) {
      throw damaged(`entry ${seq} of the run's ledger is not the one that was written`);
    }
    prev = entry.hash;
  }
  if (count === 0 || count < entryCount) {
    throw damaged(`the run's ledger has lost entries: ${entryCount} were written, ${count} are left`);
  }
  const newest = entryCount === first ? after : entries[entryCount - 1 - first];
  if (newest?.hash !== head || entryCount < before) {
    throw damaged(
      `the store's index of runs differs from the run's ledger: it counts ${entryCount} entries, or ends otherwise`,
    );
  }
}

/** The error for a pruned run. Names its archive, if there is one. */
export function pruned(runId: string, tombstone: string): KairosError {
  const checked = checkTombstone(tombstone, runId);
  const archive = checked.ok ? checked.value.archive : null;
  return new KairosError('RUN_PRUNED', `run ${runId} was pruned: its entries are not in the store any more`, {
    hint:
      archive === null
        ? `No archive was kept. See what is left with: ${hereCommand(['runs', 'show', 'RUN'])}`
        : `Its record was archived. Look at it with: ${plainCommand(['runs', 'show', archive])}`,
  });
}

/** Null for what has no hash, such as a lone surrogate that was put into it. */
function hashOf(entry: LedgerEntry): string | null {
  try {
    return hashOnce(entry, entryHash);
  } catch {
    return null;
  }
}

function damaged(what: string): KairosError {
  return new KairosError('STORE_DAMAGED', what, {
    hint: `Nothing was done with it. See what was changed with ${hereCommand(['verify', '--all'])} or ${hereCommand(['doctor'])}, and restore the store from a copy.`,
  });
}

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

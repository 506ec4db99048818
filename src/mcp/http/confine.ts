import { KairosError } from '../../base/errors.ts';
import { isReservedChain } from '../../protocol/identity.ts';
import type { Revision, Store } from '../../store/port.ts';

/**
 * A store in which there is nothing but one space (and the protocols that ship with kairos): over HTTP, protocols, runs
 * and ledgers of other spaces are not to be seen, and nothing is written to them.
 */
export function confinedTo(space: string, store: Store): Store {
  const own = (spaces: string[]) => spaces.filter((name) => name === space);
  const visible = (revision: Revision | null) =>
    revision !== null && (revision.space === space || isReservedChain(revision.chainId)) ? revision : null;
  const head = async (chainId: string) => visible(await store.head(chainId));
  const ownRun = async (runId: string) => {
    const run = await store.findRun(runId);
    return run?.space === space ? run : null;
  };
  return {
    ...store,
    head,
    headBySlug: async (name, slug) => (name === space ? store.headBySlug(name, slug) : null),
    revisionByDigest: async (chainId, digest) => visible(await store.revisionByDigest(chainId, digest)),
    revisions: async (chainId) =>
      (await store.revisions(chainId)).filter((revision) => visible(revision) !== null),
    resolveStep: async (uuid) => {
      const step = await store.resolveStep(uuid);
      if (step === null || isReservedChain(step.chainId)) return step;
      // Deleted chains have no head any more, but their runs go on.
      const newest = (await store.head(step.chainId)) ?? (await store.revisions(step.chainId))[0];
      return visible(newest ?? null) === null ? null : step;
    },
    putRevision: async (revision, expected) => {
      if (revision.space !== space && !isReservedChain(revision.chainId)) throw elsewhere(revision.space);
      return store.putRevision(revision, expected);
    },
    deleteChain: async (chainId) => ((await head(chainId)) === null ? false : store.deleteChain(chainId)),
    listChains: async (spaces) => store.listChains(own(spaces)),
    listSpaces: async () => (await store.listSpaces()).filter(({ name }) => name === space),
    searchChains: async (request) => store.searchChains({ ...request, spaces: own(request.spaces) }),
    findRun: ownRun,
    findRuns: async (query) => store.findRuns({ ...query, spaces: own(query.spaces) }),
    readEntries: async (runId) => ((await ownRun(runId)) === null ? [] : store.readEntries(runId)),
    readSeal: async (runId) => ((await ownRun(runId)) === null ? null : store.readSeal(runId)),
    readLines: async (runId) => ((await ownRun(runId)) === null ? [] : store.readLines(runId)),
    // A store is moved by whoever owns it, at the command line.
    exportChains: unmovable,
    exportRuns: unmovable,
    chainRecord: unmovable,
    runAt: unmovable,
    restoreChain: unmovable,
    restoreRun: unmovable,
    // So are the vectors of all spaces; search needs to know no more than the model in use.
    vectorModels: unmovable,
    addVectorModel: unmovable,
    useVectorModel: unmovable,
    dropVectorModel: unmovable,
    chainsWithoutVector: unmovable,
    putVectors: unmovable,
  };
}

function unmovable(): never {
  throw new KairosError('READ_ONLY', 'a store is neither moved nor indexed over HTTP', {
    hint: 'Use kairos store or kairos index on the machine that holds it.',
  });
}

function elsewhere(space: string): KairosError {
  return new KairosError('READ_ONLY', `space ${space} is not the one of this server`, {
    hint: 'Leave space out: over HTTP a server has one space.',
  });
}

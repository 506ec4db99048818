import { programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { isReservedChain } from '../protocol/identity.ts';
import { withIntactContents } from '../store/intact.ts';
import { type OpenOptions, openStore, withReserved } from '../store/open.ts';
import type { Revision, Store } from '../store/port.ts';
import type { UserFolders } from './files/paths.ts';
import { storeLocation, type UserSettings } from './settings/user-settings.ts';

/** What decides where the user's store is. */
interface StoreChoice {
  /** `--store`. */
  option: string | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  folders: UserFolders;
  settings: UserSettings;
}

/** Opens the store that the option, the environment or the user's settings name, unchecked: to copy it, or to list names. */
export function openUserStore(
  { option, env, cwd, folders, settings }: StoreChoice,
  options: Pick<OpenOptions, 'readOnly' | 'missingIsEmpty' | 'warn'>,
): Promise<Store> {
  return openStore({
    location: storeLocation(option, env, settings, cwd),
    dataDir: folders.data,
    apiKey: env.QDRANT_API_KEY || undefined,
    ...options,
  });
}

/** A store as operations use it: with the protocols that are part of kairos, and without contents that were changed. */
export function withChecks(store: Store): Store {
  return withReserved(withIntactContents(store));
}

/**
 * A store limited to one space (and the built-in protocols): over HTTP, protocols, runs and ledgers of other
 * spaces are hidden, and nothing is written to them.
 */
export function confinedTo(space: string, store: Store): Store {
  const own = (spaces: string[]) => spaces.filter((name) => name === space);
  const visible = (revision: Revision | null) =>
    revision !== null && (revision.space === space || isReservedChain(revision.chainId)) ? revision : null;
  /** A chain never changes its space. */
  const ownChains = new Set<string>();
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
      if (step === null || isReservedChain(step.chainId) || ownChains.has(step.chainId)) return step;
      // Deleted chains have no head, but their runs continue.
      const newest = (await store.head(step.chainId)) ?? (await store.revisions(step.chainId))[0];
      if (visible(newest ?? null) === null) return null;
      ownChains.add(step.chainId);
      return step;
    },
    putRevision: async (revision, expected, vectors) => {
      if (revision.space !== space && !isReservedChain(revision.chainId)) throw elsewhere(revision.space);
      return store.putRevision(revision, expected, vectors);
    },
    deleteChain: async (chainId) => ((await head(chainId)) === null ? false : store.deleteChain(chainId)),
    listChains: async (spaces) => store.listChains(own(spaces)),
    chainsAfter: async (name, after, limit) => (name === space ? store.chainsAfter(name, after, limit) : []),
    listSpaces: async () => (await store.listSpaces()).filter(({ name }) => name === space),
    searchChains: async (request) => store.searchChains({ ...request, spaces: own(request.spaces) }),
    findRun: ownRun,
    findRuns: async (query) => store.findRuns({ ...query, spaces: own(query.spaces) }),
    readEntries: async (run, from) => {
      const row = typeof run === 'string' ? await ownRun(run) : run;
      return row?.space === space ? store.readEntries(row, from) : [];
    },
    readSeal: async (runId) => ((await ownRun(runId)) === null ? null : store.readSeal(runId)),
    readLines: async (runId, from) => ((await ownRun(runId)) === null ? [] : store.readLines(runId, from)),
    misnumbered: async (runId) => ((await ownRun(runId)) === null ? [] : store.misnumbered(runId)),
    readNotes: async (runId) => ((await ownRun(runId)) === null ? [] : store.readNotes(runId)),
    addNote: async (runId, note) => (await ownRun(runId)) !== null && store.addNote(runId, note),
    // Only the owner moves or prunes a store, on the command line.
    exportChains: unmovable,
    exportRuns: unmovable,
    chainRecord: unmovable,
    runAt: unmovable,
    restoreChain: unmovable,
    restoreRun: unmovable,
    pruneRun: unmovable,
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
    hint: `Use ${programName()} store or ${programName()} index on the machine of the store.`,
  });
}

function elsewhere(space: string): KairosError {
  return new KairosError('READ_ONLY', `space ${space} is not the one of this server`, {
    hint: 'Leave space out: over HTTP a server has one space.',
  });
}

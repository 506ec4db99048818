import { isIP } from 'node:net';
import { KairosError } from '../../base/errors.ts';
import type { Store } from '../port.ts';
import { openDatabank, type Points } from './api.ts';
import {
  deleteChainPoint,
  fetchChainSummaries,
  fetchChainsAfter,
  fetchHead,
  fetchHeadBySlug,
  fetchQuality,
  fetchRevisionByDigest,
  fetchRevisions,
  fetchSpaces,
  fetchStep,
  rateChainPoint,
} from './chains.ts';
import { openCollection } from './collection.ts';
import { qdrantUnavailable, readOnlyQdrant } from './failures.ts';
import { openKnown } from './ids.ts';
import {
  addNotePoint,
  appendEntryPoints,
  createRunPoint,
  fetchEntries,
  fetchLines,
  fetchMisnumbered,
  fetchNotes,
  fetchSeal,
  pruneRunPoints,
} from './ledger.ts';
import { fetchLastRun, fetchRun, fetchRunAt, fetchRunByNonce, fetchRuns } from './ledger-point.ts';
import {
  exportChains,
  exportRuns,
  fetchChainRecord,
  putRevisionPoint,
  refreshPointIndex,
  restoreChainPoint,
  restoreRunPoint,
} from './move.ts';
import { queryChains } from './search.ts';
import {
  type Location,
  openTransport,
  parseLocation,
  showLocation,
  type TransportOptions,
} from './transport.ts';
import {
  addVectorCollection,
  dropVectorCollection,
  fetchChainsWithoutVector,
  fetchVectorModelInUse,
  fetchVectorModels,
  forgetVectors,
  putHeadVectors,
  putVectorPoints,
  useVectorCollection,
} from './vectors.ts';
import { openWords } from './vocabulary.ts';

export interface QdrantOptions extends TransportOptions {
  /** Never write. */
  readOnly?: boolean | undefined;
  /** Called with what a person should know. */
  warn?: ((message: string) => void) | undefined;
}

/**
 * The store on a Qdrant server or cluster, shared by any number of processes (docs/qdrant-internals.md). Opening it asks the server
 * nothing; the collection is made by the first write. Throws INVALID_INPUT for an address that cannot be one.
 */
export async function openQdrantStore(address: string, options: QdrantOptions = {}): Promise<Store> {
  const location = parseLocation(address);
  // Node.js would print the key in its message for such a header.
  if (/[^\x21-\x7e]/.test(options.apiKey ?? '')) {
    throw new KairosError(
      'INVALID_INPUT',
      'QDRANT_API_KEY contains a character that is not allowed in a key',
      { hint: 'Look for blanks, line breaks and letters outside ASCII in it.' },
    );
  }
  if (options.apiKey !== undefined && !location.tls && !isOwnMachine(location)) {
    options.warn?.(
      `the API key goes over the network unencrypted; ${showLocation(location)} does not use TLS`,
    );
  }
  const transport = openTransport(location, options);
  const databank = openDatabank(transport, location);
  const collection = openCollection(databank, location);
  const words = openWords();
  const known = openKnown();
  let closed = false;
  let indexed = false;

  const open = () => {
    if (closed) throw qdrantUnavailable(transport.place, 'is closed', 'Open the store again.');
  };
  /** Before the first write, reads return the results of an empty store. */
  const reading = async <T>(empty: T, action: (points: Points) => Promise<T>): Promise<T> => {
    open();
    const points = await collection.existing();
    return points === null ? empty : action(points);
  };
  const writing = async <T>(action: (points: Points) => Promise<T>): Promise<T> => {
    open();
    if (options.readOnly) throw readOnlyQdrant(transport.place);
    return action(await collection.ensured());
  };
  async function* listing<T>(action: (points: Points) => AsyncGenerator<T>): AsyncGenerator<T> {
    open();
    const points = await collection.existing();
    if (points !== null) yield* action(points);
  }

  return {
    head: (chainId) => reading(null, (points) => fetchHead(points, chainId, known)),
    headBySlug: (space, slug) => reading(null, (points) => fetchHeadBySlug(points, space, slug, known)),
    revisionByDigest: (chainId, digest) =>
      reading(
        null,
        async (points) =>
          known.revisions.get(`${chainId} ${digest}`) ??
          fetchRevisionByDigest(points, chainId, digest, known),
      ),
    revisions: (chainId) => reading([], (points) => fetchRevisions(points, chainId)),
    resolveStep: (uuid) =>
      reading(null, async (points) => known.steps.get(uuid) ?? fetchStep(points, uuid, known)),
    putRevision: (revision, expectedHead, vectors) =>
      writing(async (points) => {
        known.forgetChain(revision.chainId);
        const outcome = await putRevisionPoint(points, words, revision, expectedHead);
        if (outcome !== 'conflict') known.learnSteps(revision.chainId, revision.content.steps.length);
        if (outcome === 'stored' && revision.listed) {
          await forgetVectors(points, databank, revision.chainId);
          if (vectors !== undefined) await putHeadVectors(points, databank, revision, vectors);
        }
        return outcome;
      }),
    deleteChain: (chainId) =>
      writing(async (points) => {
        const deleted = await deleteChainPoint(points, chainId);
        if (deleted) await forgetVectors(points, databank, chainId);
        return deleted;
      }),
    listChains: (spaces) => reading([], (points) => fetchChainSummaries(points, spaces)),
    chainsAfter: (space, after, limit) =>
      reading([], (points) => fetchChainsAfter(points, space, after, limit)),
    listSpaces: () => reading([], fetchSpaces),
    searchChains: (request) =>
      reading([], async (points) => {
        if (!indexed && !options.readOnly) await refreshPointIndex(points, words);
        indexed = true;
        return queryChains(points, databank, request, known);
      }),
    rate: (chainId, digest, outcome, bonus) =>
      writing((points) => rateChainPoint(points, chainId, digest, outcome, bonus)),
    quality: (chainId) => reading(NO_RUNS, (points) => fetchQuality(points, chainId)),
    lastRun: () => reading(null, fetchLastRun),
    createRun: (runId, storeSeq, entries) =>
      writing((points) => createRunPoint(points, known, runId, storeSeq, entries)),
    appendEntries: (runId, expectedSeq, entries, seal) =>
      writing((points) => appendEntryPoints(points, known, runId, expectedSeq, entries, seal ?? null)),
    readEntries: (run, from) => reading([], (points) => fetchEntries(points, known, run, from)),
    // Other processes write to it unseen.
    cachedRun: async () => ({ fold: null, keep: () => undefined }),
    readSeal: (runId) => reading(null, (points) => fetchSeal(points, runId)),
    readLines: (runId, from) => reading([], (points) => fetchLines(points, runId, from)),
    addNote: (runId, note) => writing((points) => addNotePoint(points, known, runId, note)),
    readNotes: (runId) => reading([], (points) => fetchNotes(points, runId)),
    pruneRun: (runId, head, tombstone) =>
      writing((points) => pruneRunPoints(points, known, runId, head, tombstone)),
    misnumbered: (runId) => reading([], (points) => fetchMisnumbered(points, runId)),
    findRun: (runId) => reading(null, (points) => fetchRun(points, known, runId)),
    findRuns: (query) => reading([], (points) => fetchRuns(points, query)),
    findRunByNonce: (nonceSha256) =>
      reading(null, async (points) => known.nonces.get(nonceSha256) ?? fetchRunByNonce(points, nonceSha256)),
    exportChains: () => listing(exportChains),
    exportRuns: () => listing(exportRuns),
    chainRecord: (chainId) => reading(null, (points) => fetchChainRecord(points, chainId)),
    runAt: (storeSeq) => reading(null, (points) => fetchRunAt(points, storeSeq)),
    restoreChain: (chain) =>
      writing((points) => {
        known.forgetChain(chain.chainId);
        return restoreChainPoint(points, words, chain);
      }),
    restoreRun: (run) => writing((points) => restoreRunPoint(points, run)),
    vectorModels: () => reading([], (points) => fetchVectorModels(points, databank)),
    vectorModelInUse: () => reading(null, fetchVectorModelInUse),
    addVectorModel: (model) => writing((points) => addVectorCollection(points, databank, model)),
    useVectorModel: (model) => writing((points) => useVectorCollection(points, model)),
    dropVectorModel: (model) => writing((points) => dropVectorCollection(points, databank, model)),
    chainsWithoutVector: (model, limit, after) =>
      reading([], (points) => fetchChainsWithoutVector(points, databank, model, limit, after)),
    putVectors: (model, vectors) => writing((points) => putVectorPoints(points, databank, model, vectors)),
    async close() {
      closed = true;
    },
  };
}

const NO_RUNS = { runs: 0, successes: 0, bonus: 0 };

function isOwnMachine({ nodes }: Location): boolean {
  return nodes.every(
    ({ host }) => host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')),
  );
}

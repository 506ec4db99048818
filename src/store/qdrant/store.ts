import { isIP } from 'node:net';
import { KairosError } from '../../base/errors.ts';
import type { Store } from '../port.ts';
import type { Points } from './api.ts';
import { chainsAfter, deleteChain, listChains, listSpaces, quality, rate, resolveStep } from './chains.ts';
import { openCollection } from './collection.ts';
import { openDatabank } from './databank.ts';
import { readOnlyStore, unavailable } from './errors.ts';
import { appendEntries, createRun, misnumbered, readEntries, readLines, readSeal } from './ledger.ts';
import { type Location, parseLocation, showLocation } from './location.ts';
import { chainRecord, exportChains, exportRuns, restoreChain, restoreRun } from './move.ts';
import { putRevision } from './put-revision.ts';
import { refreshIndex } from './refresh-index.ts';
import { head, headBySlug, revisionByDigest, revisions } from './revisions.ts';
import { findRun, findRunByNonce, findRuns, lastRun, runAt } from './runs.ts';
import { searchChains } from './search.ts';
import { openTransport, type TransportOptions } from './transport.ts';
import {
  addVectorModel,
  chainsWithoutVector,
  dropVectorModel,
  forgetVectors,
  putVectors,
  useVectorModel,
  vectorModelInUse,
  vectorModels,
} from './vectors.ts';
import { openWords } from './words.ts';

export interface QdrantOptions extends TransportOptions {
  /** Never write. */
  readOnly?: boolean | undefined;
  /** Called with what a person should know. */
  warn?: ((message: string) => void) | undefined;
}

/**
 * The store on a Qdrant server or cluster, shared by any number of processes (docs/qdrant.md). Opening it asks the server
 * nothing; the collection is made by the first write. Throws INVALID_INPUT for an address that cannot be one.
 */
export async function openQdrantStore(address: string, options: QdrantOptions = {}): Promise<Store> {
  const location = parseLocation(address);
  // Node.js would print the key in its message for such a header.
  if (/[^\x21-\x7e]/.test(options.apiKey ?? '')) {
    throw new KairosError(
      'INVALID_INPUT',
      'QDRANT_API_KEY contains a character that is not allowed in a key',
      {
        hint: 'Look for blanks, line breaks and letters outside ASCII in it.',
      },
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
  let closed = false;
  let indexed = false;

  const open = () => {
    if (closed) throw unavailable(transport.place, 'is closed', 'Open the store again.');
  };
  /** Before the first write, reads return the results of an empty store. */
  const reading = async <T>(empty: T, action: (points: Points) => Promise<T>): Promise<T> => {
    open();
    const points = await collection.existing();
    return points === null ? empty : action(points);
  };
  const writing = async <T>(action: (points: Points) => Promise<T>): Promise<T> => {
    open();
    if (options.readOnly) throw readOnlyStore(transport.place);
    return action(await collection.ensured());
  };
  async function* listing<T>(action: (points: Points) => AsyncGenerator<T>): AsyncGenerator<T> {
    open();
    const points = await collection.existing();
    if (points !== null) yield* action(points);
  }

  return {
    head: (chainId) => reading(null, (points) => head(points, chainId)),
    headBySlug: (space, slug) => reading(null, (points) => headBySlug(points, space, slug)),
    revisionByDigest: (chainId, digest) =>
      reading(null, (points) => revisionByDigest(points, chainId, digest)),
    revisions: (chainId) => reading([], (points) => revisions(points, chainId)),
    resolveStep: (uuid) => reading(null, (points) => resolveStep(points, uuid)),
    putRevision: (revision, expectedHead) =>
      writing(async (points) => {
        const outcome = await putRevision(points, words, revision, expectedHead);
        if (outcome === 'stored' && revision.listed) await forgetVectors(points, databank, revision.chainId);
        return outcome;
      }),
    deleteChain: (chainId) =>
      writing(async (points) => {
        const deleted = await deleteChain(points, chainId);
        if (deleted) await forgetVectors(points, databank, chainId);
        return deleted;
      }),
    listChains: (spaces) => reading([], (points) => listChains(points, spaces)),
    chainsAfter: (space, after, limit) => reading([], (points) => chainsAfter(points, space, after, limit)),
    listSpaces: () => reading([], listSpaces),
    searchChains: (request) =>
      reading([], async (points) => {
        if (!indexed && !options.readOnly) await refreshIndex(points, words);
        indexed = true;
        return searchChains(points, databank, request);
      }),
    rate: (chainId, digest, outcome, bonus) =>
      writing((points) => rate(points, chainId, digest, outcome, bonus)),
    quality: (chainId) => reading(NO_RUNS, (points) => quality(points, chainId)),
    lastRun: () => reading(null, lastRun),
    createRun: (runId, storeSeq, entries) => writing((points) => createRun(points, runId, storeSeq, entries)),
    appendEntries: (runId, expectedSeq, entries, seal) =>
      writing((points) => appendEntries(points, runId, expectedSeq, entries, seal ?? null)),
    readEntries: (runId, from) => reading([], (points) => readEntries(points, runId, from)),
    // Other processes write to it unseen.
    recallRun: async () => ({ fold: null, keep: () => undefined }),
    readSeal: (runId) => reading(null, (points) => readSeal(points, runId)),
    readLines: (runId, from) => reading([], (points) => readLines(points, runId, from)),
    misnumbered: (runId) => reading([], (points) => misnumbered(points, runId)),
    findRun: (runId) => reading(null, (points) => findRun(points, runId)),
    findRuns: (query) => reading([], (points) => findRuns(points, query)),
    findRunByNonce: (nonceSha256) => reading(null, (points) => findRunByNonce(points, nonceSha256)),
    exportChains: () => listing(exportChains),
    exportRuns: () => listing(exportRuns),
    chainRecord: (chainId) => reading(null, (points) => chainRecord(points, chainId)),
    runAt: (storeSeq) => reading(null, (points) => runAt(points, storeSeq)),
    restoreChain: (chain) => writing((points) => restoreChain(points, words, chain)),
    restoreRun: (run) => writing((points) => restoreRun(points, run)),
    vectorModels: () => reading([], (points) => vectorModels(points, databank)),
    vectorModelInUse: () => reading(null, vectorModelInUse),
    addVectorModel: (model) => writing((points) => addVectorModel(points, databank, model)),
    useVectorModel: (model) => writing((points) => useVectorModel(points, model)),
    dropVectorModel: (model) => writing((points) => dropVectorModel(points, databank, model)),
    chainsWithoutVector: (model, limit, after) =>
      reading([], (points) => chainsWithoutVector(points, databank, model, limit, after)),
    putVectors: (model, vectors) => writing((points) => putVectors(points, databank, model, vectors)),
    async close() {
      closed = true;
    },
  };
}

const NO_RUNS = { runs: 0, successes: 0, bonus: 0 };

function isOwnMachine({ host }: Location): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

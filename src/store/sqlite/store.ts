import { loadStemmers } from '../../search/resolve.ts';
import type { Store } from '../port.ts';
import {
  chainsAfter,
  deleteChain,
  listChains,
  listSpaces,
  quality,
  rate,
  refreshIndex,
  resolveStep,
} from './chains.ts';
import { type Connection, loadSqliteDriver, readTransaction, writeTransaction } from './driver.ts';
import { patiently, readOnlySqlite, resultCode, sqliteUnavailable, toKairosError } from './errors.ts';
import {
  addNote,
  appendEntries,
  createRun,
  findRun,
  findRunByNonce,
  findRuns,
  lastRun,
  misnumbered,
  pruneRun,
  readEntries,
  readLines,
  readNotes,
  readSeal,
} from './ledger.ts';
import {
  BUSY_TIMEOUT_MS,
  type Database,
  type DatabaseOptions,
  fingerprint,
  identityOf,
  openDatabase,
} from './open.ts';
import {
  chainRecord,
  head,
  headBySlug,
  nextChain,
  nextRun,
  putRevision,
  restoreChain,
  restoreRun,
  revisionByDigest,
  revisions,
  runAt,
} from './put-revision.ts';
import { createReadCache } from './read-cache.ts';
import { searchChains } from './search.ts';
import {
  addVectorModel,
  chainsWithoutVector,
  dropVectorModel,
  putVectors,
  useVectorModel,
  vectorModelInUse,
  vectorModels,
} from './vectors.ts';

/**
 * The embedded store in one file, or in memory (`:memory:`). Writes are durable when they return. A file that can only
 * be read answers reads and refuses writes with READ_ONLY.
 */
export async function openSqliteStore(location: string, options: DatabaseOptions = {}): Promise<Store> {
  const driver = await loadSqliteDriver();
  let database = await openDatabase(driver, location, options);
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  let cache = createReadCache(database.connection);
  let identity = identityOf(database.path);
  let written = false;
  let closed = false;

  /** A file that another program removed or replaced would still accept writes that no reader finds. */
  const requireInPlace = () => {
    if (identityOf(database.path) === identity) return;
    const hint = 'Nothing was written. Put the file back, or end this program and start it again.';
    throw sqliteUnavailable(database.path, 'was removed or replaced while it was open', hint);
  };
  /** For one statement. Every call goes through here: a file opened as unchanging is opened again once it changed; errors get words. */
  const looking = async <T>(action: (connection: Connection) => T): Promise<T> => {
    try {
      if (database.snapshot !== null && database.snapshot !== fingerprint(database.path)) {
        const changed = await openDatabase(driver, location, options);
        database.connection.close();
        database = changed;
        cache = createReadCache(changed.connection);
        identity = identityOf(changed.path);
        waitBriefly(changed);
      }
      return await patiently(() => action(database.connection), busyTimeoutMs);
    } catch (error) {
      throw toKairosError(error, database.path);
    }
  };
  /** For several, which then see one state of the database. */
  const reading = <T>(action: (connection: Connection) => T): Promise<T> =>
    looking((connection) => readTransaction(connection, () => action(connection)));
  /** Writes a new run or entries. These change no cached facts. */
  const recording = async <T>(action: (connection: Connection) => T): Promise<T> => {
    if (database.readOnly) throw readOnlySqlite(database.path);
    try {
      written = true;
      return await patiently(() => {
        requireInPlace();
        return writeTransaction(database.connection, () => action(database.connection));
      }, busyTimeoutMs);
    } catch (error) {
      throw toKairosError(error, database.path);
    } finally {
      cache.forgetRows();
    }
  };
  const writing = async <T>(action: (connection: Connection) => T): Promise<T> => {
    try {
      return await recording(action);
    } finally {
      cache.forgetFacts();
    }
  };

  try {
    if (!database.readOnly) refreshIndex(database.connection);
  } catch (error) {
    database.connection.close();
    throw toKairosError(error, database.path);
  }
  waitBriefly(database);
  return {
    head: (chainId) => looking((db) => head(db, chainId)),
    headBySlug: (space, slug) => looking((db) => headBySlug(db, space, slug)),
    revisionByDigest: (chainId, digest) =>
      looking((db) => cache.fact(`${chainId} ${digest}`, () => revisionByDigest(db, chainId, digest))),
    revisions: (chainId) => looking((db) => revisions(db, chainId)),
    resolveStep: (uuid) => looking((db) => cache.fact(uuid, () => resolveStep(db, uuid))),
    putRevision: (...args) => writing((db) => putRevision(db, ...args)),
    deleteChain: (chainId) => writing((db) => deleteChain(db, chainId)),
    listChains: (spaces) => looking((db) => listChains(db, spaces)),
    chainsAfter: (space, after, limit) => looking((db) => chainsAfter(db, space, after, limit)),
    listSpaces: () => looking(listSpaces),
    searchChains: async (request) => {
      const stemmers = await loadStemmers();
      return reading((db) => searchChains(db, request, stemmers));
    },
    rate: (chainId, digest, outcome, bonus) => writing((db) => rate(db, chainId, digest, outcome, bonus)),
    quality: (chainId) => reading((db) => quality(db, chainId)),
    lastRun: () =>
      looking((db) => {
        requireInPlace();
        return lastRun(db);
      }),
    createRun: (runId, storeSeq, entries) => recording((db) => createRun(db, runId, storeSeq, entries)),
    appendEntries: (runId, expectedSeq, entries, seal) =>
      recording((db) => appendEntries(db, runId, expectedSeq, entries, seal)),
    readEntries: (run, from) =>
      looking((db) => readEntries(db, typeof run === 'string' ? run : run.runId, from)),
    cachedRun: (runId) => looking(() => cache.run(runId)),
    readSeal: (runId) => looking((db) => readSeal(db, runId)),
    readLines: (runId, from) => reading((db) => readLines(db, runId, from)),
    addNote: (runId, note) => recording((db) => addNote(db, runId, note)),
    readNotes: (runId) => looking((db) => readNotes(db, runId)),
    pruneRun: (runId, head, tombstone) => writing((db) => pruneRun(db, runId, head, tombstone)),
    misnumbered: (runId) => looking((db) => misnumbered(db, runId)),
    findRun: (runId) => looking((db) => findRun(db, runId)),
    findRuns: (query) =>
      // A gateway asks for the open runs at every call.
      looking((db) =>
        query.open === true
          ? cache.rows(JSON.stringify(query), () => findRuns(db, query))
          : findRuns(db, query),
      ),
    findRunByNonce: (nonceSha256) => looking((db) => findRunByNonce(db, nonceSha256)),
    exportChains: () =>
      oneByOne(
        '',
        ({ chainId }) => chainId,
        (after) => reading((db) => nextChain(db, after)),
      ),
    exportRuns: () =>
      oneByOne(
        0,
        ({ storeSeq }) => storeSeq,
        (after) => reading((db) => nextRun(db, after)),
      ),
    chainRecord: (chainId) => reading((db) => chainRecord(db, chainId)),
    runAt: (storeSeq) => reading((db) => runAt(db, storeSeq)),
    restoreChain: (chain) => writing((db) => restoreChain(db, chain)),
    restoreRun: (run) => writing((db) => restoreRun(db, run)),
    vectorModels: () => reading(vectorModels),
    vectorModelInUse: () => reading(vectorModelInUse),
    addVectorModel: (model) => writing((db) => addVectorModel(db, model)),
    useVectorModel: (model) => writing((db) => useVectorModel(db, model)),
    dropVectorModel: (model) => writing((db) => dropVectorModel(db, model)),
    chainsWithoutVector: (model, limit, after) =>
      reading((db) => chainsWithoutVector(db, model, limit, after)),
    putVectors: (model, vectors) => writing((db) => putVectors(db, model, vectors)),
    async close() {
      if (closed) return;
      closed = true;
      try {
        // Connections that keep statements leave their log behind; its content belongs in the file itself.
        if (written) checkpoint(database.connection);
      } finally {
        database.connection.close();
      }
    },
  };
}

/** From now on `patiently` waits; SQLite itself only covers a few milliseconds. */
function waitBriefly({ connection }: Database): void {
  connection.exec('PRAGMA busy_timeout = 20');
}

/**
 * Records in the order of their keys, each read separately: a long export keeps neither a lock nor a second
 * record.
 */
async function* oneByOne<K, R>(
  first: K,
  keyOf: (record: R) => K,
  nextAfter: (key: K) => Promise<R | null>,
): AsyncGenerator<R> {
  let record = await nextAfter(first);
  while (record !== null) {
    yield record;
    record = await nextAfter(keyOf(record));
  }
}

/** Does what it can without waiting for others: what stays in the log is as durable there. */
function checkpoint(connection: Connection): void {
  try {
    connection.exec('PRAGMA busy_timeout = 0');
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch (error) {
    if (resultCode(error) === null) throw error;
  }
}

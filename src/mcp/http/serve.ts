import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { isReservedChain } from '../../protocol/identity.ts';
import type { Revision, Store } from '../../store/port.ts';
import { createServer } from '../server/create-server.ts';
import type { ServerServices } from '../server/services.ts';
import { type HttpAddress, type Tokens, urlHost } from './access.ts';
import { createHandler, MCP_PATH } from './handle.ts';
import { createSessions } from './sessions.ts';

export interface HttpServerOptions {
  address: HttpAddress;
  tokens: Tokens | null;
  /** In addition to the bound one and the loopback names. */
  allowHosts: readonly string[];
  allowOrigins: readonly string[];
  maxSessions: number;
  sessionIdleMs: number;
}

const SWEEP_MS = 30_000;
/**
 * Longer than clients and proxies keep a connection that is idle (Node's five seconds are not): otherwise a call may be sent
 * just when the server lets go of its connection, and is lost.
 */
const KEEP_ALIVE_MS = 75_000;
/** Clients never use these as host names. */
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves clients over Streamable HTTP until `stop` is aborted: those of the 2025 revisions in sessions, those
 * of 2026-07-28 request by request. `onListening` gets the URL. Throws USAGE when it can't listen on the
 * address.
 */
export async function serveOverHttp(
  services: ServerServices,
  options: HttpServerOptions,
  { stop, onListening }: { stop: AbortSignal; onListening: (url: string) => void },
): Promise<void> {
  const { ctx, log, metrics } = services;
  const { address, tokens, allowHosts, allowOrigins } = options;
  const caller = tokens === null ? ctx.caller : { ...ctx.caller, actorOrigin: 'token' as const };
  const confined = { ...services, ctx: { ...ctx, caller, store: confinedTo(ctx.caller.space, ctx.store) } };
  const sessions = createSessions({
    max: options.maxSessions,
    idleMs: options.sessionIdleMs,
    now: ctx.clock,
    log,
    open: (connection) => createServer(confined, { ...connection, modern: false }),
  });
  const handler = createHandler({
    hosts: [...LOOPBACK, urlHost(address.host), ...allowHosts],
    origins: [...LOOPBACK, ...allowOrigins],
    tokens,
    actor: ctx.caller.actor,
    sessions,
    factory: ({ authInfo }) =>
      createServer(confined, {
        actor: authInfo?.clientId ?? ctx.caller.actor,
        session: null,
        modern: true,
      }),
    healthy: () =>
      ctx.store.lastRun().then(
        () => true,
        () => false,
      ),
    log,
    metrics,
  });
  const http = createHttpServer((req, res) => {
    handler.handle(req, res).catch((error: Error) => {
      log.error('request failed', { error: error.stack ?? error.message });
      res.destroy();
    });
  });
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  const url = await listen(http, address);
  log.info('listening', { url });
  if (EVERY_ADDRESS.has(address.host) && allowHosts.length === 0) {
    log.warn('no host name is admitted but localhost', {
      remedy: 'name those that clients use with --allow-host',
    });
  }
  onListening(url);
  const sweeper = setInterval(() => sessions.sweep(), SWEEP_MS);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(sweeper);
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeIdleConnections();
  // Running calls are asked to end; the server waits for their responses and writes.
  await Promise.all([sessions.close(), handler.close()]);
  http.closeAllConnections();
  await closed;
  log.info('closed', { url });
}

async function listen(http: HttpServer, { host, port }: HttpAddress): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, resolve);
  }).catch((cause: Error) => {
    throw new KairosError('USAGE', `${urlHost(host)}:${port} cannot be listened at: ${cause.message}`, {
      hint: 'Name another port with --http.',
      cause,
    });
  });
  return `http://${urlHost(host)}:${(http.address() as AddressInfo).port}${MCP_PATH}`;
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

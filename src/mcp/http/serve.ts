import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KairosError } from '../../base/errors.ts';
import { createServer } from '../server/create-server.ts';
import type { ServerServices } from '../server/services.ts';
import { type HttpAddress, urlHost } from './address.ts';
import { confinedTo } from './confine.ts';
import { createHandler, MCP_PATH } from './handle.ts';
import { createSessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

export interface HttpOptions {
  address: HttpAddress;
  tokens: Tokens | null;
  /** Beside the bound one and the names of the loopback. */
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
/** Nobody calls a server by these. */
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves clients over Streamable HTTP until `stop` is aborted: those of the 2025 revisions in sessions, those of
 * 2026-07-28 request by request. `onListening` gets the URL. USAGE when the address cannot be had.
 */
export async function serveOverHttp(
  services: ServerServices,
  options: HttpOptions,
  { stop, onListening }: { stop: AbortSignal; onListening: (url: string) => void },
): Promise<void> {
  const { ctx, log, metrics } = services;
  const { address, tokens, allowHosts, allowOrigins } = options;
  const confined = { ...services, ctx: { ...ctx, store: confinedTo(ctx.caller.space, ctx.store) } };
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
  // Calls under way are told to end; their answers, and what they write, are waited for.
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

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KairosError } from '../../base/errors.ts';
import { confinedTo } from '../../host/store.ts';
import { createServer } from '../server/create-server.ts';
import type { ServerServices } from '../server/services.ts';
import {
  admit,
  type HttpAddress,
  type HttpCaller,
  type Issuer,
  type PublicUrl,
  protectedResource,
  publicUrl,
  type Tokens,
  urlHost,
} from './access.ts';
import { createHandler, MCP_PATH } from './handle.ts';
import { createSessions } from './sessions.ts';

export interface HttpServerOptions {
  address: HttpAddress;
  tokens: Tokens | null;
  issuer: Issuer | null;
  /** What tokens of the issuer must be for. Empty: the URL of this server. */
  audiences: readonly string[];
  /** Each caller of the issuer has the space of its tenant. */
  tenants: boolean;
  /** Null: the address. */
  publicUrl: PublicUrl | null;
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
  const { address, tokens, issuer, allowHosts, allowOrigins } = options;
  const owner: HttpCaller = { actor: ctx.caller.actor, space: ctx.caller.space };
  const isOpen = tokens === null && issuer === null;
  const spaces = new Map<string, ServerServices>();
  const servicesOf = (space: string) => {
    const known = spaces.get(space) ?? confinedServices(services, { space, ...options, isOpen });
    spaces.set(space, known);
    return known;
  };
  await issuer?.ready();
  const http = createHttpServer();
  const url = await listen(http, address);
  const reached = options.publicUrl ?? publicUrl(url, MCP_PATH);
  const audiences = options.audiences.length > 0 ? options.audiences : [reached.url];
  const sessions = createSessions({
    max: options.maxSessions,
    idleMs: options.sessionIdleMs,
    now: ctx.clock,
    log,
    open: ({ space, ...connection }) => createServer(servicesOf(space), { ...connection, modern: false }),
  });
  const handler = createHandler({
    hosts: [...LOOPBACK, urlHost(address.host), ...allowHosts, reached.host],
    origins: [...LOOPBACK, ...allowOrigins],
    admit: (authorization) => admit({ tokens, issuer, audiences, owner }, authorization),
    space: owner.space,
    resource: issuer === null ? null : protectedResource(issuer, reached),
    prefix: reached.prefix,
    sessions,
    factory: ({ authInfo }) =>
      createServer(servicesOf((authInfo?.extra?.space as string | undefined) ?? owner.space), {
        actor: authInfo?.clientId ?? owner.actor,
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
  http.on('request', (req, res) => {
    handler.handle(req, res).catch((error: Error) => {
      log.error('request failed', { error: error.stack ?? error.message });
      res.destroy();
    });
  });
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  log.info('listening', { url, ...(reached.url === url ? {} : { public: reached.url }) });
  if (EVERY_ADDRESS.has(address.host) && allowHosts.length === 0 && options.publicUrl === null) {
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

/** The services for callers of one space: they see nothing of others, and the commands that they are given name theirs. */
function confinedServices(
  services: ServerServices,
  { space, tenants, isOpen }: { space: string; tenants: boolean; isOpen: boolean },
): ServerServices {
  const { ctx } = services;
  // The file would name runs of other spaces.
  const { handover, ...alone } = ctx;
  const shared = handover === undefined || tenants ? alone : ctx;
  const isForeign = space !== ctx.caller.space;
  return {
    ...services,
    ctx: {
      ...shared,
      caller: { ...ctx.caller, space, ...(isOpen ? {} : { actorOrigin: 'token' }) },
      store: confinedTo(space, ctx.store),
      commandLine: isForeign
        ? (words, last = []) => ctx.commandLine(words, ['--space', space, ...last])
        : ctx.commandLine,
    },
  };
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { MAX_MESSAGE_DEPTH } from '../../base/json.ts';
import { VERSION } from '../../base/package-root.ts';
import type { Log, Metrics } from '../server/metrics.ts';
import { DOUBLED_KEYS } from '../server/read-arguments.ts';
import type { Admission, HttpCaller, ProtectedResource } from './access.ts';
import { MAX_BODY_BYTES, type Reason, RPC, readBody, replyError, replyJson } from './body.ts';
import type { Sessions } from './sessions.ts';

/** The path of the protocol. */
export const MCP_PATH = '/mcp';

interface HandlerOptions extends GuardOptions {
  /** Who calls, by the `Authorization` header. */
  admit(authorization: string | undefined): Promise<Admission>;
  /** The space whose callers may read the metrics. */
  space: string;
  /** Null: no issuer gives tokens for this server. */
  resource: ProtectedResource | null;
  /** A path in front of all others, as some proxies pass it on. */
  prefix: string;
  sessions: Sessions;
  /** A server for one request of the 2026 revision. */
  factory: McpServerFactory;
  /** Whether the store answers. */
  healthy: () => Promise<boolean>;
  log: Log;
  metrics: Metrics;
}

interface HttpHandler {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** Handles HTTP requests: the protocol at /mcp, /health for the operator, /metrics for Prometheus. */
export function createHandler(options: HandlerOptions): HttpHandler {
  const { log, metrics, sessions, resource } = options;
  const onerror = (error: Error) => log.warn('protocol error', { error: error.message });
  const modern = createMcpHandler(options.factory, { legacy: 'reject', onerror });
  const serveModern = toNodeHandler(modern, { onerror });
  const refused = metrics.counter(
    'kairos_http_refused_total',
    'Requests refused before the protocol, by reason.',
  );
  metrics.gauge('kairos_http_sessions', 'Open sessions of 2025 clients.', () => sessions.count);
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());

  function refuse(reason: string, answer: () => void, detail?: string): void {
    refused.add({ reason });
    log.warn('request refused', { reason, ...(detail === undefined ? {} : { detail }) });
    answer();
  }

  async function serveMcp(req: IncomingMessage, res: ServerResponse, caller: HttpCaller): Promise<void> {
    if (req.method === 'GET' || req.method === 'DELETE') return sessions.handle(req, res, caller, undefined);
    if (req.method !== 'POST') {
      return refuse('method', () =>
        replyError(res, 405, RPC.invalidRequest, 'Method not allowed', { allow: 'GET, POST, DELETE' }),
      );
    }
    if (!isJsonContentType(req.headers['content-type'])) {
      return refuse('content-type', () =>
        replyError(res, 415, RPC.invalidRequest, 'Content-Type must be application/json'),
      );
    }
    nameAccepted(req);
    const body = await readBody(req);
    if (!body.ok) return refuse(body.reason, () => refuseBody(res, body.reason));
    const { headers } = req;
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      body: body.value,
      ...header('protocolVersionHeader', headers['mcp-protocol-version']),
      ...header('mcpMethodHeader', headers['mcp-method']),
      ...header('mcpNameHeader', headers['mcp-name']),
    });
    if (route.kind === 'legacy') return sessions.handle(req, res, caller, body.value);
    const auth = { token: '', clientId: caller.actor, scopes: [], extra: { space: caller.space } };
    await serveModern(Object.assign(req, { auth }), res, body.value);
  }

  return {
    async handle(req, res) {
      res.setHeader('x-content-type-options', 'nosniff');
      const foreign = refuseForeign(req, res, options);
      if (foreign !== null) return refuse(foreign, () => undefined);
      admitOrigin(req, res);
      const path = pathOf(req.url, options.prefix);
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      if (path === '/health' && isRead) return health(res, options.healthy);
      const isMetadata = resource?.isAt(path) === true;
      if (!PATHS.has(path) && !isMetadata) {
        return refuse('path', () =>
          replyError(
            res,
            404,
            RPC.invalidRequest,
            `There is nothing at ${path.slice(0, 100)}; the protocol is at ${MCP_PATH}`,
          ),
        );
      }
      if (req.method === 'OPTIONS') return preflight(res, path);
      if (isMetadata && isRead) return replyJson(res, 200, resource.metadata);
      const caller = isMetadata ? null : await options.admit(req.headers.authorization);
      if (caller !== null && 'refused' in caller) {
        return refuse(
          caller.refused,
          () => refuseCaller(res, caller, { given: req.headers.authorization !== undefined, resource }),
          caller.detail,
        );
      }
      if (path === MCP_PATH && caller !== null) return serveMcp(req, res, caller);
      if (!isRead) {
        return refuse('method', () =>
          replyError(res, 405, RPC.invalidRequest, 'Method not allowed', { allow: 'GET, HEAD' }),
        );
      }
      // They count the calls of all spaces.
      if (caller?.space !== options.space) {
        return refuse('tenant', () =>
          replyError(res, 403, RPC.refused, "Metrics are for callers of the server's own space"),
        );
      }
      res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      res.end(metrics.text());
    },
    close: () => modern.close(),
  };
}

const PATHS = new Set([MCP_PATH, '/health', '/metrics']);

/** The path of a request target; what is not a URL is returned unchanged, because it is not a path of this server. */
function pathOf(target = '/', prefix = ''): string {
  // A whole URL is a target too (RFC 9112).
  const url = /^https?:/i.test(target) ? target : `http://localhost${target}`;
  if (!URL.canParse(url)) return target;
  const { pathname } = new URL(url);
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
  return path.endsWith('/') && PATHS.has(path.slice(0, -1)) ? path.slice(0, -1) : path;
}

const BOTH = 'application/json, text/event-stream';

/** Names what a client accepts that accepts everything, or that names nothing. */
function nameAccepted(req: IncomingMessage): void {
  const { accept } = req.headers;
  if (accept !== undefined && !/(?:^|,)\s*\*\/\*/.test(accept)) return;
  req.headers.accept = BOTH;
  const at = req.rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'accept');
  if (at === -1) req.rawHeaders.push('Accept', BOTH);
  else req.rawHeaders[at + 1] = BOTH;
}

/** 401: the client gets a token. 403: it needs another one. 503: tokens can't be checked now. */
function refuseCaller(
  res: ServerResponse,
  { refused, message }: Extract<Admission, { refused: string }>,
  { given, resource }: { given: boolean; resource: ProtectedResource | null },
): void {
  const scopes = resource?.metadata.scopes_supported as string[] | undefined;
  const parts = [
    'realm="kairos"',
    ...(refused === 'scope' ? ['error="insufficient_scope"'] : given ? ['error="invalid_token"'] : []),
    ...(given && resource !== null ? [`error_description="${message}"`] : []),
    ...(scopes === undefined ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(resource === null ? [] : [`resource_metadata="${resource.metadataUrl}"`]),
  ];
  const challenge = { 'www-authenticate': `Bearer ${parts.join(', ')}` };
  const [status, headers] = {
    token: [401, challenge] as const,
    scope: [403, challenge] as const,
    tenant: [403, {}] as const,
    issuer: [503, { 'retry-after': '5' }] as const,
  }[refused];
  replyError(res, status, RPC.refused, message, headers);
}

/** Request headers that clients in browsers send (MCP, transports). */
const SENT =
  'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name';

/** Lets the page of an admitted origin read the response. */
function admitOrigin({ headers: { origin } }: IncomingMessage, res: ServerResponse): void {
  if (origin === undefined) return;
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', 'mcp-session-id, mcp-protocol-version, www-authenticate');
  res.setHeader('vary', 'origin');
}

/** The response to the question of a browser before its request. */
function preflight(res: ServerResponse, path: string): void {
  const methods = path === MCP_PATH ? 'GET, POST, DELETE' : 'GET, HEAD';
  res.writeHead(204, {
    allow: `${methods}, OPTIONS`,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': SENT,
    'access-control-max-age': '600',
  });
  res.end();
}

async function health(res: ServerResponse, healthy: () => Promise<boolean>): Promise<void> {
  const ok = await healthy();
  replyJson(res, ok ? 200 : 503, { status: ok ? 'ok' : 'store unavailable', version: VERSION });
}

/** Time limit for the rest of a body that is too large. */
const LINGER_MS = 2000;

function refuseBody(res: ServerResponse, reason: Reason): void {
  if (reason === 'gone') res.destroy();
  else if (reason === 'not-json') replyError(res, 400, RPC.parse, 'The body is not JSON');
  else if (reason === 'too-deep')
    replyError(res, 400, RPC.invalidRequest, `a message nests at most ${MAX_MESSAGE_DEPTH} levels deep`);
  else if (reason === 'doubled-keys') replyError(res, 400, RPC.invalidRequest, DOUBLED_KEYS);
  else {
    const { req } = res;
    replyError(res, 413, RPC.invalidRequest, `The body is larger than ${MAX_BODY_BYTES} bytes`);
    // What is still coming is read away: closing over unread data resets the connection, and the answer is lost with it.
    req.resume();
    setTimeout(() => {
      if (!req.complete) req.destroy();
    }, LINGER_MS).unref();
  }
}

function header(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {};
}

interface GuardOptions {
  /** Names under which clients may call this server, without ports; IPv6 in brackets. */
  hosts: string[];
  /** Host names of web pages that may call; a request without Origin doesn't come from a web page. */
  origins: string[];
}

/**
 * Rejects requests that a web page in the user's browser could send: with a foreign Host (DNS rebinding) or a
 * foreign Origin. Returns the reason, or null for an allowed request.
 */
function refuseForeign(
  req: IncomingMessage,
  res: ServerResponse,
  { hosts, origins }: GuardOptions,
): 'host' | 'origin' | null {
  const host = validateHostHeader(req.headers.host, hosts);
  if (!host.ok) {
    replyError(res, 403, RPC.refused, `${host.message}. Start the server with --allow-host to admit it.`);
    return 'host';
  }
  const origin = validateOriginHeader(req.headers.origin, origins);
  if (!origin.ok) {
    replyError(res, 403, RPC.refused, `${origin.message}. Start the server with --allow-origin to admit it.`);
    return 'origin';
  }
  return null;
}

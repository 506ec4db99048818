import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Log } from '../server/metrics.ts';
import { ID_IN_USE, OpenRequests } from '../server/open-requests.ts';
import { BATCHING } from '../server/read-message.ts';
import type { HttpCaller } from './access.ts';
import { RPC, replyError } from './body.ts';

interface SessionOptions {
  max: number;
  /** Milliseconds without a request after which a session is closed. */
  idleMs: number;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  open(connection: HttpCaller & { session: string }): Server;
}

/** Clients of the 2025 revisions: each has its own server for the length of its session. */
export interface Sessions {
  readonly count: number;
  /** `body` is undefined for GET and DELETE. */
  handle(req: IncomingMessage, res: ServerResponse, caller: HttpCaller, body: unknown): Promise<void>;
  /** Ends what has been idle for too long. */
  sweep(): void;
  close(): Promise<void>;
}

interface Session extends Held {
  space: string;
  requests: OpenRequests;
  /** Responses under way, by the request that each is for. */
  responses: Map<string | number, ServerResponse>;
  /** The revision that was agreed on. */
  revision: string | null;
  transport: NodeStreamableHTTPServerTransport;
  server: Server;
}

export function createSessions({ max, idleMs, now, log, open }: SessionOptions): Sessions {
  const sessions = new Map<string, Session>();

  const end = (id: string, reason: string) => {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    log.info('session closed', { session: id, reason });
    void session.server.close();
  };

  /** False when no session can be closed. */
  const makeRoom = (actor: string): boolean => {
    const id = giveWay(sessions, actor);
    if (id !== null) end(id, 'another had to have room');
    return id !== null;
  };

  async function begin({ actor, space }: HttpCaller): Promise<Session> {
    const id = randomUUID();
    const server = open({ actor, space, session: id });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => end(id, 'the client ended it'),
    });
    const requests = new OpenRequests();
    const send = transport.send.bind(transport);
    transport.send = (message, about) => {
      requests.answered(message);
      const { protocolVersion } = ('result' in message ? message.result : {}) as {
        protocolVersion?: unknown;
      };
      if (typeof protocolVersion === 'string') session.revision ??= protocolVersion;
      return send(message, about);
    };
    const session: Session = {
      actor,
      space,
      transport,
      server,
      requests,
      responses: new Map(),
      revision: null,
      usedAt: now(),
      calls: 0,
      streams: 0,
    };
    // Counted immediately, so that a concurrent newcomer finds one place less.
    sessions.set(id, session);
    await server.connect(transport);
    log.info('session opened', { session: id, actor });
    return session;
  }

  async function use(
    session: Session,
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
  ): Promise<void> {
    const { requests, responses } = session;
    if (Array.isArray(body) && session.revision !== BATCHING)
      return replyError(res, 400, RPC.invalidRequest, `Batches are part of revision ${BATCHING} alone`);
    if (!requests.admit(body)) return replyError(res, 400, RPC.invalidRequest, ID_IN_USE);
    const kind = req.method === 'GET' ? 'streams' : 'calls';
    const id = requestId(body);
    session[kind] += 1;
    session.usedAt = now();
    res.once('close', () => {
      // Refused by its headers.
      if (res.statusCode >= 400) requests.forget(body);
      session[kind] -= 1;
      session.usedAt = now();
      if (id !== null && responses.get(id) === res) responses.delete(id);
    });
    if (id !== null) responses.set(id, res);
    await session.transport.handleRequest(req, res, body);
    // A cancelled call gets no response, so its stream would stay open.
    const cancelled = cancelledId(body);
    if (cancelled !== null) responses.get(cancelled)?.end();
  }

  return {
    get count() {
      return sessions.size;
    },
    async handle(req, res, caller, body) {
      const id = req.headers['mcp-session-id'];
      if (typeof id === 'string') {
        const session = sessions.get(id);
        // Another caller's session counts as unknown, so that its id reveals nothing.
        if (session?.actor !== caller.actor || session.space !== caller.space) {
          return replyError(res, 404, RPC.noSession, 'Session not found');
        }
        return use(session, req, res, body);
      }
      if (!isInitialize(body)) {
        return replyError(
          res,
          400,
          RPC.invalidRequest,
          'Mcp-Session-Id header is required: initialize first',
        );
      }
      if (sessions.size >= max && !makeRoom(caller.actor)) {
        log.warn('session refused', { reason: 'too many', max });
        return replyError(res, 503, RPC.refused, `Too many sessions: at most ${max} may be open`, {
          'retry-after': '60',
        });
      }
      const session = await begin(caller);
      await use(session, req, res, body);
      // An invalid handshake opens no session.
      if (session.transport.sessionId === undefined) {
        for (const [key, value] of sessions) if (value === session) end(key, 'not initialized');
      }
    },
    sweep() {
      const before = now() - idleMs;
      for (const [id, { calls, streams, usedAt }] of sessions) {
        if (calls + streams === 0 && usedAt < before) end(id, 'idle');
      }
    },
    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(open.map(({ server }) => server.close()));
    },
  };
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown } | null;
}

const asId = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

/** Of a body that is one request. */
function requestId(body: unknown): string | number | null {
  const { id, method } = (body ?? {}) as Message;
  return method === undefined ? null : asId(id);
}

/** The request that a notification cancels. */
function cancelledId(body: unknown): string | number | null {
  const { method, params } = (body ?? {}) as Message;
  return method === 'notifications/cancelled' ? asId(params?.requestId) : null;
}

function isInitialize(body: unknown): boolean {
  return body !== null && typeof body === 'object' && (body as { method?: unknown }).method === 'initialize';
}

/** What is known of an open session. */
export interface Held {
  actor: string;
  /** Milliseconds since the epoch. */
  usedAt: number;
  /** Calls under way. */
  calls: number;
  /** Streams that wait for news. */
  streams: number;
}

/**
 * The session to close when a caller opens one more and there is no room, or null. The caller with the most
 * sessions, and at least two more than the newcomer, loses one; otherwise two callers would close each
 * other's in turn. Else the newcomer loses its own. A session in use is closed only for another caller and
 * only as a last resort.
 */
export function giveWay(sessions: ReadonlyMap<string, Held>, newcomer: string): string | null {
  const held = new Map<string, number>();
  for (const { actor } of sessions.values()) held.set(actor, (held.get(actor) ?? 0) + 1);
  const most = Math.max(0, ...held.values());
  const own: [string, Held][] = [];
  const theirs: [string, Held][] = [];
  for (const session of sessions) {
    const { actor } = session[1];
    if (actor === newcomer) own.push(session);
    else if (held.get(actor) === most && most >= (held.get(newcomer) ?? 0) + 2) theirs.push(session);
  }
  return (
    longestUnused(theirs, 0) ?? longestUnused(own, 0) ?? longestUnused(theirs, 1) ?? longestUnused(theirs, 2)
  );
}

function longestUnused(sessions: readonly [string, Held][], use: 0 | 1 | 2): string | null {
  let found: [string, Held] | null = null;
  for (const session of sessions) {
    if (useOf(session[1]) !== use) continue;
    if (found === null || session[1].usedAt < found[1].usedAt) found = session;
  }
  return found?.[0] ?? null;
}

/** 0: none, 1: it waits for news, 2: something is being done. */
function useOf({ calls, streams }: Held): 0 | 1 | 2 {
  if (calls > 0) return 2;
  return streams > 0 ? 1 : 0;
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Log } from '../server/log.ts';
import { ID_IN_USE, OpenRequests } from '../server/open-requests.ts';
import { giveWay, type Held } from './give-way.ts';
import { RPC, replyError } from './reply.ts';

export interface SessionOptions {
  max: number;
  /** Closed after so many milliseconds without a request. */
  idleMs: number;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  open(connection: { actor: string; session: string }): Server;
}

/** Clients of the 2025 revisions: each has its own server for the length of its session. */
export interface Sessions {
  readonly count: number;
  /** `body` is undefined for GET and DELETE. */
  handle(req: IncomingMessage, res: ServerResponse, actor: string, body: unknown): Promise<void>;
  /** Ends what has been idle for too long. */
  sweep(): void;
  close(): Promise<void>;
}

interface Session extends Held {
  requests: OpenRequests;
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

  async function begin(actor: string): Promise<Session> {
    const id = randomUUID();
    const server = open({ actor, session: id });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => end(id, 'the client ended it'),
    });
    const requests = new OpenRequests();
    const send = transport.send.bind(transport);
    transport.send = (message, about) => {
      requests.answered(message);
      return send(message, about);
    };
    const session: Session = { actor, transport, server, requests, usedAt: now(), calls: 0, streams: 0 };
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
    const { requests } = session;
    if (!requests.admit(body)) return replyError(res, 400, RPC.invalidRequest, ID_IN_USE);
    const kind = req.method === 'GET' ? 'streams' : 'calls';
    session[kind] += 1;
    session.usedAt = now();
    res.once('close', () => {
      // Refused by its headers.
      if (res.statusCode >= 400) requests.forget(body);
      session[kind] -= 1;
      session.usedAt = now();
    });
    await session.transport.handleRequest(req, res, body);
  }

  return {
    get count() {
      return sessions.size;
    },
    async handle(req, res, actor, body) {
      const id = req.headers['mcp-session-id'];
      if (typeof id === 'string') {
        const session = sessions.get(id);
        // Another caller's session counts as unknown, so that its id reveals nothing.
        if (session === undefined || session.actor !== actor) {
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
      if (sessions.size >= max && !makeRoom(actor)) {
        log.warn('session refused', { reason: 'too many', max });
        return replyError(res, 503, RPC.refused, `Too many sessions: at most ${max} may be open`, {
          'retry-after': '60',
        });
      }
      const session = await begin(actor);
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

function isInitialize(body: unknown): boolean {
  return body !== null && typeof body === 'object' && (body as { method?: unknown }).method === 'initialize';
}

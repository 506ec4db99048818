import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '@qdrant/js-client-rest';
import {
  changeAliases,
  createCollection,
  createIndex,
  describeCollection,
  dropCollection,
} from './collections.ts';
import { wireCheck } from './openapi.ts';
import { count, facet, remove, retrieve, scroll, setPayload, upsert } from './points.ts';
import { query } from './query.ts';
import { collectionOf, type DoubleState, Refusal } from './state.ts';

/**
 * What happens to a request. `status` and `reset`: nothing is done. `lost`: the work is done and the answer not sent.
 * `torn`: half of the answer is. `delay`: the work is done, and answered, later.
 */
export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'reset' }
  | { kind: 'lost' }
  | { kind: 'torn' }
  | { kind: 'delay'; ms: number };

export interface DoubleOptions {
  version?: string;
  apiKey?: string;
  /** Answers `fetch` of this process itself: a connection costs several times what an answer does. */
  isDirect?: boolean;
}

export interface QdrantDouble {
  port: number;
  /** `qdrant://127.0.0.1:PORT/NAME`, or of a direct one with a name that no server has. */
  address(name?: string): string;
  state: DoubleState;
  /** Each request that came, as `METHOD path`. */
  requests: string[];
  /** What was not as the official document says. */
  violations: string[];
  /** Asked for every request; a fault it names happens. */
  fault: (request: string) => Fault | null;
  close(): Promise<void>;
}

/** A Qdrant in memory behind HTTP, as far as kairos uses one (docs/qdrant.md). */
export async function startDouble(options: DoubleOptions = {}): Promise<QdrantDouble> {
  const { version = '1.18.0', apiKey, isDirect = false } = options;
  const check = wireCheck();
  const { host, port, stop } = isDirect ? answerFetch(takeSafely) : await answerHttp(takeSafely);

  async function takeSafely(asked: Asked): Promise<Taken> {
    try {
      return await take(asked);
    } catch (error) {
      double.violations.push(String(error));
      return { fault: { kind: 'reset' }, status: 0, type: '', sent: '' };
    }
  }

  async function take(asked: Asked): Promise<Taken> {
    const { method, url, key, text } = asked;
    const { pathname, searchParams } = new URL(url, 'http://double');
    const name = `${method} ${pathname}`;
    double.requests.push(name);
    const fault = double.fault(name);
    if (fault?.kind === 'reset') return { fault, status: 0, type: '', sent: '' };
    if (fault?.kind === 'status') {
      const { status, headers, body = JSON.stringify({ status: { error: 'injected' }, time: 0 }) } = fault;
      const type = body.startsWith('{') ? 'application/json' : 'text/html';
      return { fault, status, type, sent: body, headers };
    }
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (apiKey !== undefined && key !== apiKey) {
      const sent = 'Must provide an API key or an Authorization bearer token';
      return { fault: null, status: 401, type: 'text/plain', sent };
    }
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const faults = check?.request(method, pathname, searchParams, body) ?? [];
    double.violations.push(...faults.map((one) => `${name}: ${one}`));
    const { status, answer } = await respond(method, pathname, body);
    const wrong = check?.response(method, pathname, status, answer) ?? [];
    double.violations.push(...wrong.map((one) => `${name}: ${one}`));
    return { fault, status, type: 'application/json', sent: JSON.stringify(answer) };
  }

  async function respond(
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ status: number; answer: unknown }> {
    try {
      if (path === '/') return { status: 200, answer: { title: 'qdrant - vector search engine', version } };
      return {
        status: 200,
        answer: { result: await route(double.state, method, path, body), status: 'ok', time: 0 },
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, answer: { status: { error: error.message }, time: 0 } };
    }
  }

  const double: QdrantDouble = {
    port,
    address: (name = 'kairos') => `qdrant://${host}:${port}/${name}`,
    state: { collections: new Map(), aliases: new Map() },
    requests: [],
    violations: [],
    fault: () => null,
    close: stop,
  };
  return double;
}

/** The endpoints that kairos uses. */
async function route(state: DoubleState, method: string, path: string, body: unknown): Promise<unknown> {
  const [, , first = '', ...rest] = path.split('/').map(decodeURIComponent);
  const at = `${method} ${rest.join('/')}`;
  if (path === '/collections/aliases') return changeAliases(state, body as Schemas['ChangeAliasesOperation']);
  switch (at) {
    case 'GET exists':
      return {
        exists: state.collections.has(state.aliases.get(first) ?? first),
      } satisfies Schemas['CollectionExistence'];
    case 'GET ':
      return describeCollection(state, first);
    case 'PUT ':
      return createCollection(state, first, body as Schemas['CreateCollection']);
    case 'DELETE ':
      return dropCollection(state, first);
    case 'PUT index':
      return createIndex(state, first, body as Schemas['CreateFieldIndex']);
  }
  const collection = collectionOf(state, first);
  switch (at) {
    case 'PUT points':
      return upsert(collection, body as Schemas['PointsList']);
    case 'POST points':
      return retrieve(collection, body as Schemas['PointRequest']);
    case 'POST points/payload':
      return setPayload(collection, body as Schemas['SetPayload']);
    case 'POST points/delete':
      return remove(collection, body as Schemas['PointsSelector']);
    case 'POST points/scroll':
      return scroll(collection, body as Schemas['ScrollRequest']);
    case 'POST points/count':
      return count(collection, body as Schemas['CountRequest']);
    case 'POST points/query':
      return query(collection, body as Schemas['QueryRequest']);
    case 'POST points/query/batch':
      return (body as Schemas['QueryRequestBatch']).searches.map((search) => query(collection, search));
    case 'POST facet':
      return facet(collection, body as Schemas['FacetRequest']);
    default:
      throw new Refusal(404, `Not found: the double has no ${method} ${path}`);
  }
}

/** A request as the double takes it. */
interface Asked {
  method: string;
  url: string;
  key: string | null | undefined;
  text: string;
}

/** What comes of a request: the answer, and the fault that it is sent with. */
interface Taken {
  fault: Fault | null;
  status: number;
  type: string;
  sent: string;
  headers?: Record<string, string> | undefined;
}

type Take = (asked: Asked) => Promise<Taken>;

interface Listening {
  host: string;
  port: number;
  stop(): Promise<void>;
}

async function answerHttp(take: Take): Promise<Listening> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const key = request.headers['api-key'] as string | undefined;
    const { method = 'GET', url = '/' } = request;
    const { fault, status, type, sent, headers } = await take({
      method,
      url,
      key,
      text: await read(request),
    });
    if (fault?.kind === 'reset' || fault?.kind === 'lost') return void request.socket.destroy();
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(sent),
      ...headers,
    });
    if (fault?.kind !== 'torn') return void response.end(sent);
    response.write(sent.slice(0, sent.length / 2), () => request.socket.destroy());
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** What answers the direct doubles that are open, by host, and the `fetch` before them. */
const direct = new Map<string, Take>();
let realFetch = globalThis.fetch;
let directs = 0;

function answerFetch(take: Take): Listening {
  directs += 1;
  const host = `double-${directs}.invalid`;
  if (direct.size === 0) [realFetch, globalThis.fetch] = [globalThis.fetch, fetchDirect];
  direct.set(host, take);
  return {
    host,
    port: 6333,
    async stop() {
      if (direct.delete(host) && direct.size === 0) globalThis.fetch = realFetch;
    },
  };
}

const fetchDirect: typeof fetch = async (input, init) => {
  const { hostname, pathname, search } = new URL(input instanceof Request ? input.url : input);
  const take = direct.get(hostname);
  if (take === undefined) return realFetch(input, init);
  const { fault, status, type, sent, headers } = await take({
    method: init?.method ?? 'GET',
    url: `${pathname}${search}`,
    key: new Headers(init?.headers).get('api-key'),
    text: String(init?.body ?? ''),
  });
  const isSent = fault === null || fault.kind === 'status' || fault.kind === 'delay';
  if (!isSent) throw new TypeError('fetch failed');
  return new Response(sent, { status, headers: { 'content-type': type, ...headers } });
};

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

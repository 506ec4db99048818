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
}

export interface QdrantDouble {
  port: number;
  /** `qdrant://127.0.0.1:PORT/NAME`. */
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
export async function startDouble({ version = '1.18.0', apiKey }: DoubleOptions = {}): Promise<QdrantDouble> {
  const check = wireCheck();
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      double.violations.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double');
    const method = request.method ?? 'GET';
    const name = `${method} ${pathname}`;
    const text = await read(request);
    double.requests.push(name);
    const fault = double.fault(name);
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'status') {
      const { status, headers, body = JSON.stringify({ status: { error: 'injected' }, time: 0 }) } = fault;
      const type = body.startsWith('{') ? 'application/json' : 'text/html';
      response.writeHead(status, { 'content-type': type, ...headers });
      return void response.end(body);
    }
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (apiKey !== undefined && request.headers['api-key'] !== apiKey) {
      response.writeHead(401, { 'content-type': 'text/plain' });
      return void response.end('Must provide an API key or an Authorization bearer token');
    }
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const faults = check?.request(method, pathname, searchParams, body) ?? [];
    double.violations.push(...faults.map((one) => `${name}: ${one}`));
    const { status, answer } = await respond(method, pathname, body);
    const wrong = check?.response(method, pathname, status, answer) ?? [];
    double.violations.push(...wrong.map((one) => `${name}: ${one}`));
    if (fault?.kind === 'lost') return void request.socket.destroy();
    const sent = JSON.stringify(answer);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    });
    if (fault?.kind !== 'torn') return void response.end(sent);
    response.write(sent.slice(0, sent.length / 2), () => request.socket.destroy());
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
    address: (name = 'kairos') => `qdrant://127.0.0.1:${port}/${name}`,
    state: { collections: new Map(), aliases: new Map() },
    requests: [],
    violations: [],
    fault: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
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

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

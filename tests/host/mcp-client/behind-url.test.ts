import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { urlBehind } from '../../../src/host/mcp-client/behind-gateway.ts';

type Json = Record<string, unknown>;
type Answer = (response: ServerResponse, message: Json, request: IncomingMessage) => void;

let stops: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
});

/** A server that answers POST as it is told, and GET and DELETE with 405 unless told otherwise; and a client of it. */
async function open(post: Answer, other: Answer = (response) => response.writeHead(405).end()) {
  const requests: { verb: string | undefined; headers: IncomingMessage['headers']; message: Json }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const message = text === '' ? {} : JSON.parse(text);
      requests.push({ verb: request.method, headers: request.headers, message });
      (request.method === 'POST' ? post : other)(response, message, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const behind = urlBehind(url, {});
  const lines: string[] = [];
  const lost: { id: unknown; reason: string }[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const each of waiting) each();
    waiting.clear();
  };
  const ended = behind.receive(
    (line) => {
      lines.push(line.toString());
      wake();
    },
    (each) => {
      lost.push({ ...each, reason: each.reason.replace(url, 'URL') });
      wake();
    },
  );
  stops.push(() => behind.close(true));
  return {
    ...{ behind, requests, lines, lost, ended },
    send: (message: unknown) => behind.send(Buffer.from(`${JSON.stringify(message)}\n`)),
    async until(fits: () => boolean): Promise<void> {
      while (!fits()) await new Promise<void>((resolve) => waiting.add(resolve));
    },
  };
}

const ask = (id: unknown, method = 'tools/call', params: Json = { name: 'x' }) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const json =
  (status: number, body: string, headers: Json = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers } as never).end(body);
const stream =
  (...parts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
    response.end();
  };
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';
const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';

describe("a request that the server doesn't answer", () => {
  it.each<[string, Answer, string | RegExp]>([
    ['200 with nothing', (response) => response.writeHead(200).end(), 'URL: HTTP 200 OK without an answer'],
    ['200 with empty JSON', json(200, ''), 'URL: HTTP 200 OK without an answer'],
    ['200 with broken JSON', json(200, '{"jsonrpc":"2.0","id":1,'), 'URL: HTTP 200 OK without an answer'],
    [
      '200 with the answer to another request',
      json(200, '{"jsonrpc":"2.0","id":2,"result":{}}'),
      'URL: HTTP 200 OK without an answer',
    ],
    ['202', (response) => response.writeHead(202).end(), 'URL: HTTP 202 Accepted without an answer'],
    ['an empty list', json(200, '[]'), 'URL: HTTP 200 OK without an answer'],
    [
      'a page',
      (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<html>'),
      'URL: HTTP 500 Internal Server Error',
    ],
    [
      '401',
      json(401, '{"error":"invalid_token"}'),
      'URL: HTTP 401 Unauthorized: write a valid header into KAIROS_GATEWAY_HEADERS',
    ],
    [
      '404',
      (response) => response.writeHead(404).end(),
      /^URL: HTTP 404 Not Found: no such server, or its session has ended/,
    ],
    [
      'an error without an id',
      json(404, '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}'),
      /^URL: Session not found: .* Start the server again/,
    ],
    [
      'an error whose id is absent',
      json(400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"}}'),
      'URL: Bad Request',
    ],
    ['events without an answer', stream(`data: ${PROGRESS}\n\n`), 'URL: HTTP 200 OK without an answer'],
    ['a connection that is reset', (response) => response.destroy(), /^URL: fetch failed: /],
    [
      'events and a reset',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${PROGRESS}\n\n`, () => response.destroy());
      },
      /^URL: terminated/,
    ],
    [
      'JSON that is cut off',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"jsonrpc"', () => response.destroy());
      },
      /^URL: terminated/,
    ],
  ])('is lost with a reason: %s', async (_, answer, reason) => {
    const { send, lost, until } = await open(answer);
    void send(ask(1));
    await until(() => lost.length > 0);
    expect(lost).toEqual([
      { id: 1, reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) },
    ]);
  });

  it('is lost for each request of a batch that has no answer, and not for notifications', async () => {
    const { send, lines, lost, until } = await open(json(200, `[${RESULT}]`));
    void send([ask(1), ask('a'), { jsonrpc: '2.0', method: 'notifications/x' }]);
    await until(() => lost.length > 0);
    expect(lines).toEqual([`[${RESULT}]\n`]);
    expect(lost).toEqual([{ id: 'a', reason: 'URL: HTTP 200 OK without an answer' }]);
    await send({ jsonrpc: '2.0', method: 'notifications/x' });
    expect(lost).toHaveLength(1);
  });

  it('is lost when the client leaves, after some time for the answer', async () => {
    const { send, behind, lost, lines, ended, requests } = await open((response, { id }) => {
      if (id === 2)
        setTimeout(
          () =>
            json(200, '{"jsonrpc":"2.0","id":2,"result":{}}', { 'mcp-session-id': 's' })(
              response,
              {},
              {} as never,
            ),
          50,
        );
    });
    void send(ask(1));
    void send(ask(2));
    await behind.close();
    await ended;
    expect(lines).toEqual(['{"jsonrpc":"2.0","id":2,"result":{}}\n']);
    expect(lost).toEqual([{ id: 1, reason: 'URL: the gateway ends' }]);
    expect(requests.at(-1)).toMatchObject({ verb: 'DELETE', headers: { 'mcp-session-id': 's' } });
  });
});

describe('messages of a server', () => {
  it.each<[string, Answer, string[]]>([
    [
      'numbers and escapes',
      json(200, '{"jsonrpc":"2.0","id":1, "result":{"n":12345678901234567890,"t":"\\u00e4"}}'),
      ['{"jsonrpc":"2.0","id":1, "result":{"n":12345678901234567890,"t":"\\u00e4"}}\n'],
    ],
    [
      'JSON in several lines',
      json(200, '\ufeff{\r\n  "jsonrpc": "2.0",\n  "id": 1, "result": {}\n}\n'),
      ['{   "jsonrpc": "2.0",   "id": 1, "result": {} }\n'],
    ],
    [
      'events with Windows line ends',
      stream(`event: message\r\ndata: ${PROGRESS}\r\n\r\n`, `data: ${RESULT}\r\n\r\n`),
      [`${PROGRESS}\n`, `${RESULT}\n`],
    ],
    [
      'data in several lines',
      stream('data: {"jsonrpc":"2.0",\ndata:"id":1,"result":{}}\n\n'),
      ['{"jsonrpc":"2.0", "id":1,"result":{}}\n'],
    ],
    ['a last event without an end', stream(`: comment\n\nid\nretry: 5\ndata: ${RESULT}`), [`${RESULT}\n`]],
    [
      'other events',
      stream(`event: endpoint\ndata: /x\n\ndata: no JSON\n\ndata\n\ndata: ${RESULT}\n\n`),
      [`${RESULT}\n`],
    ],
    [
      'letters cut into pieces',
      (response) => {
        const bytes = Buffer.from('data: {"jsonrpc":"2.0","id":1,"result":{"t":"ä😀"}}\n\n');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const write = (at: number) =>
          at === bytes.length
            ? response.end()
            : response.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1));
        write(0);
      },
      ['{"jsonrpc":"2.0","id":1,"result":{"t":"ä😀"}}\n'],
    ],
  ])('arrive as single lines, unchanged: %s', async (_, answer, expected) => {
    const { send, lines, lost, until } = await open(answer);
    void send(ask(1));
    await until(() => lines.length + lost.length >= expected.length);
    expect({ lines, lost }).toEqual({ lines: expected, lost: [] });
  });

  it('are sent without being asked, in a stream that is opened again', async () => {
    let opened = 0;
    const { send, lines, requests, until } = await open(
      (response) => response.writeHead(202).end(),
      (response, message, request) => {
        opened += 1;
        if (opened === 1)
          return stream(`retry: 1\nid: e1\ndata: ${PROGRESS}\n\n`)(response, message, request);
        if (opened === 2) return response.destroy();
        if (opened === 3) return stream(`id: e2\ndata: ${PROGRESS}\n\n`)(response, message, request);
        response.writeHead(404).end();
      },
    );
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await until(() => lines.length === 2);
    const gets = requests.filter(({ verb }) => verb === 'GET').map(({ headers }) => headers['last-event-id']);
    expect(gets.slice(0, 3)).toEqual([undefined, 'e1', 'e1']);
  });

  it('continue in another stream where the first one ends before the answer', async () => {
    const { send, lines, lost, requests, until } = await open(
      stream(`id: a\nretry: 1\ndata: \n\n`),
      stream(`id: b\ndata: ${RESULT}\n\n`),
    );
    void send(ask(1));
    await until(() => lines.length + lost.length > 0);
    expect({ lines, lost }).toEqual({ lines: [`${RESULT}\n`], lost: [] });
    expect(requests.at(-1)).toMatchObject({ verb: 'GET', headers: { 'last-event-id': 'a' } });
  });

  it('end with a reason when no stream has the answer', async () => {
    const silent = stream('id: a\nretry: 1\ndata: \n\n');
    const { send, lost, requests, until } = await open(silent, silent);
    void send(ask(1));
    await until(() => lost.length > 0);
    expect(lost).toEqual([{ id: 1, reason: 'URL: HTTP 200 OK without an answer' }]);
    expect(requests.length).toBeLessThan(10);
  });
});

describe('messages of a client', () => {
  it('are sent after the server has accepted that it is initialized', async () => {
    const order: unknown[] = [];
    const { send, until, lines } = await open((response, { method, id }) => {
      if (id === undefined) {
        const accept = () => {
          order.push(method);
          response.writeHead(202).end();
        };
        return setTimeout(accept, 50);
      }
      order.push(method);
      json(200, JSON.stringify({ jsonrpc: '2.0', id, result: {} }))(response, {}, {} as never);
    });
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await send(ask(1, 'tools/list'));
    await until(() => lines.length === 1);
    expect(order).toEqual(['notifications/initialized', 'tools/list']);
  });

  it('end a request without a session by a cancellation, which is then not lost', async () => {
    let closed = false;
    const { send, lost, requests } = await open((response, { id }) => {
      if (id === undefined) response.writeHead(202).end();
      else response.on('close', () => (closed = true));
    });
    void send(ask('a'));
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    void send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    while (!closed) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lost).toEqual([]);
  });
});

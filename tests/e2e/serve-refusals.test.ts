import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type HttpServer, overHttp, startHttp, structured } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

const TOKEN = 'a-long-token-for-ada-0123';
const OTHER = 'a-long-token-for-bob-4567';
let home: CliHome;
let server: HttpServer;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'tokens'), `# who\nada:${TOKEN}\nbob:${OTHER}\n`, { mode: 0o600 });
  writeFileSync(join(home.work, 'walk.md'), protocolOf(['shell'], 'Walk about'));
  expect(await kairos(home, ['mint', 'walk.md'], { prepares: true })).toMatchObject({ code: 0 });
  writeFileSync(join(home.work, 'ask.md'), protocolOf(['user_input'], 'Ask about'));
  expect(await kairos(home, ['mint', 'ask.md'], { prepares: true })).toMatchObject({ code: 0 });
  server = await startHttp(home, ['--token-file', 'tokens']);
}, 60_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  home.remove();
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: { error?: { code: number; message: string }; [key: string]: unknown } | null;
}

/** A request as written, with any Host. */
function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; token?: string | null } = {},
): Promise<Answer> {
  const { token = TOKEN, body, method = body === undefined ? 'GET' : 'POST' } = options;
  return new Promise((resolve, reject) => {
    const req = request(new URL(path, server.origin), {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => {
        const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
        resolve({
          status: res.statusCode!,
          headers: res.headers,
          body: json === '' ? null : JSON.parse(json),
        });
      });
    });
    req.end(body);
  });
}

const rpc = (method: string, params: object = {}, id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = rpc('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});
const error = (status: number, code: number, message: RegExp) => ({
  status,
  body: { jsonrpc: '2.0', id: null, error: { code, message: expect.stringMatching(message) } },
});

/** The response to a GET with the target as written. */
async function raw(target: string): Promise<string> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('over HTTP the server', () => {
  it('admits the preflight of an allowed origin, without a token, and lets its page read', async () => {
    const origin = 'http://localhost:3000';
    const asked = await send('/mcp', {
      method: 'OPTIONS',
      token: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-session-id',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe(origin);
    expect(asked.headers['access-control-allow-methods']).toContain('POST');
    expect(asked.headers['access-control-allow-headers']).toContain('mcp-session-id');
    const answered = await send('/mcp', { body: initialize, headers: { origin } });
    expect(answered.headers['access-control-allow-origin']).toBe(origin);
    expect(answered.headers['access-control-expose-headers']).toContain('mcp-session-id');
    const foreign = { method: 'OPTIONS', headers: { origin: 'https://evil.example' } };
    expect(await send('/mcp', foreign)).toMatchObject({ status: 403 });
  });

  it.each([
    ['with a slash at the end of the path', '/mcp/', {}],
    ['that accepts everything', '/mcp', { accept: '*/*' }],
    ['that accepts everything, as browsers write it', '/mcp', { accept: 'text/html, */*;q=0.8' }],
  ])('serves a call %s', async (_, path, headers) => {
    expect(await send(path, { body: initialize, headers })).toMatchObject({
      status: 200,
      body: { result: { serverInfo: { name: 'kairos' } } },
    });
  });

  it('serves a call whose parameters are null where they are absent, or JSON text', async () => {
    const opened = await send('/mcp', { body: initialize });
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const spaces = { result: { structuredContent: { spaces: expect.any(Array) } } };
    for (const args of [null, '{"include_chain_titles": true}', '{}']) {
      const body = rpc('tools/call', { name: 'kairos_spaces', arguments: args }, 2);
      expect(await send('/mcp', { body, headers })).toMatchObject({ status: 200, body: spaces });
    }
    for (const method of ['resources/list', 'prompts/list', 'tools/list', 'resources/templates/list']) {
      for (const cursor of [null, '']) {
        const listed = await send('/mcp', { body: rpc(method, { cursor }, 3), headers });
        expect(listed.body).toHaveProperty('result');
      }
      const made = await send('/mcp', { body: rpc(method, { cursor: 'made-up' }, 4), headers });
      expect(made.body).toMatchObject({ error: { code: -32602, message: 'Invalid cursor' } });
    }
  });

  it('finds the path of a target that is a whole URL', async () => {
    expect(await raw('http://localhost/health')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw('http://localhost/x')).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('responds to HEAD /health', async () => {
    expect(await send('/health', { method: 'HEAD', token: null })).toMatchObject({ status: 200, body: null });
  });

  it('closes the stream of a call that is cancelled', async () => {
    const opened = await send('/mcp', {
      body: rpc('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'raw', version: '1' },
      }),
    });
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const note = (method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', method, params });
    await send('/mcp', { body: note('notifications/initialized'), headers });
    const begun = await send('/mcp', {
      body: rpc('tools/call', { name: 'kairos_begin', arguments: { key: 'ask-about' } }, 2),
      headers,
    });
    const { current_step, run_id } = (begun.body!.result as { structuredContent: RunFields })
      .structuredContent;
    const args = { uri: current_step!.uri, run_id, solution: { type: 'user_input' } };
    const waiting = fetch(new URL('/mcp', server.origin), {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${TOKEN}`,
      },
      body: rpc('tools/call', { name: 'kairos_next', arguments: args }, 3),
    });
    const stream = await waiting;
    const reader = stream.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('elicitation/create');
    await send('/mcp', { body: note('notifications/cancelled', { requestId: 3 }), headers });
    while (!(await reader.read()).done);
  });
});

describe('over HTTP the server refuses', () => {
  it('a foreign Origin, and admits its own', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      expect(await send('/mcp', { body: initialize, headers: { origin } })).toMatchObject(
        error(403, -32000, /origin/i),
      );
    }
    const own = await send('/mcp', { body: initialize, headers: { origin: 'http://localhost:3000' } });
    expect(own.status).toBe(200);
  });

  it('a foreign Host, on every path', async () => {
    for (const path of ['/mcp', '/health', '/metrics']) {
      expect(await send(path, { headers: { host: 'evil.example' } })).toMatchObject(
        error(403, -32000, /host/i),
      );
    }
  });

  it('a missing or wrong token, except for /health', async () => {
    const wrong = [null, 'x', `${TOKEN}x`, 'a-long-token-for-eve-8901'];
    for (const token of wrong) {
      const answer = await send('/mcp', { body: initialize, token });
      expect(answer).toMatchObject(error(401, -32000, /bearer token/));
      expect(answer.headers['www-authenticate']).toBe(
        token === null ? 'Bearer realm="kairos"' : 'Bearer realm="kairos", error="invalid_token"',
      );
      expect(await send('/metrics', { token })).toMatchObject({ status: 401 });
    }
    expect(await send('/health', { token: null })).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('a missing path, before a missing token', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '//', '/x']) {
      expect(await raw(path)).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it('a body of 50,000 levels', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    expect(await send('/mcp', { body })).toMatchObject(error(400, -32600, /levels deep/));
  });

  it('a batch, except in the revision that has batches', async () => {
    for (const [protocolVersion, status] of [
      ['2025-03-26', 200],
      ['2025-06-18', 400],
    ] as const) {
      const opened = await send('/mcp', {
        body: rpc('initialize', {
          protocolVersion,
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        }),
      });
      const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
      const batch = `[${rpc('ping', {}, 2)},${rpc('ping', {}, 3)}]`;
      expect(await send('/mcp', { body: batch, headers })).toMatchObject({ status });
    }
  });

  it('an oversized body, declared or not', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { x: 'x'.repeat(5 << 20) },
    });
    expect(await send('/mcp', { body })).toMatchObject(error(413, -32600, /larger than/));
    const answered = await sendChunked('x'.repeat(64 << 10), 100);
    expect(answered).toContain('413');
    expect(answered).toContain('"code":-32600');
  });

  it('a proposal with a duplicate key', async () => {
    const call = (proposal: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kairos_propose","arguments":{"proposal":${proposal}}}}`;
    expect(
      await send('/mcp', { body: call('{"parameters":{"A":"1"},"parameters":{"B":"2"}}') }),
    ).toMatchObject(error(400, -32600, /a key occurs twice/));
    expect(await send('/mcp', { body: `[${call('{"a":1,"a":1}')}]` })).toMatchObject(
      error(400, -32600, /a key occurs twice/),
    );
  });

  it('broken JSON, another content type, another method, another path', async () => {
    expect(await send('/mcp', { body: '{"jsonrpc":' })).toMatchObject(error(400, -32700, /not JSON/));
    expect(await send('/mcp', { body: initialize, headers: { 'content-type': 'text/plain' } })).toMatchObject(
      error(415, -32600, /application\/json/),
    );
    expect(await send('/mcp', { method: 'PUT', body: '{}' })).toMatchObject(error(405, -32600, /Method/));
    expect(await send('/', { body: initialize })).toMatchObject(error(404, -32600, /\/mcp/));
    expect((await send('/mcp', { body: '[]' })).status).toBe(400);
  });

  it('an unknown session, another caller in a session, and calls without one', async () => {
    const list = rpc('tools/list');
    const opened = await send('/mcp', { body: initialize });
    const session = String(opened.headers['mcp-session-id']);
    const at = { 'mcp-session-id': session };
    expect(await send('/mcp', { body: list, headers: at })).toMatchObject({ status: 200 });
    expect(await send('/mcp', { body: list, headers: at, token: OTHER })).toMatchObject(
      error(404, -32001, /Session/),
    );
    expect(await send('/mcp', { body: list, headers: { 'mcp-session-id': 'x' } })).toMatchObject(
      error(404, -32001, /Session/),
    );
    expect(await send('/mcp', { body: list })).toMatchObject(error(400, -32600, /initialize/));
    expect(await send('/mcp', { method: 'DELETE', headers: at })).toMatchObject({ status: 200 });
    expect(await send('/mcp', { body: list, headers: at })).toMatchObject(error(404, -32001, /Session/));
  });

  it('a request state that it never returned, and ignores forged answers', async () => {
    const client = await overHttp('sdk-2', server.url, TOKEN);
    const begun = structured<{ run_id: string; current_step: { uri: string } }>(
      await client.call('kairos_begin', { key: 'walk-about' }),
    );
    await client.close();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const call = (extra: object) =>
      send('/mcp', {
        body: rpc('tools/call', {
          name: 'kairos_next',
          arguments: { uri: begun.current_step.uri, run_id: begun.run_id, solution: { type: 'user_input' } },
          ...extra,
          _meta: meta,
        }),
        headers: {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'kairos_next',
        },
      });
    const forged = {
      inputResponses: { answer: { action: 'accept', content: { confirmation: 'approved' } } },
    };
    expect(await call({ ...forged, requestState: 'eyJmb3JnZWQiOnRydWV9' })).toMatchObject({
      body: { error: { code: -32602, message: 'Invalid or expired requestState' } },
    });
    const plain = await call(forged);
    expect(plain.body).toMatchObject({
      result: {
        structuredContent: { error_code: 'MISSING_PROOF', current_step: { uri: begun.current_step.uri } },
      },
    });
    const shown = await kairos(home, ['runs', 'show', begun.run_id, '--json']);
    expect(shown.stdout).not.toContain('proof.accepted');
  });
});

describe('the server does not start', () => {
  const starts = (args: string[], env = {}) => kairos(home, ['serve', ...args], { env });
  it.each([
    [['--http', 'nowhere'], /invalid address/],
    [['--http', '0.0.0.0:0'], /needs a bearer token/],
    [['--http', '0', '--execute'], /--execute over HTTP needs a bearer token/],
    [['--token-file', 'tokens'], /no meaning without --http/],
    [['--max-sessions', '5'], /no meaning without --http/],
    [['--http', '0', '--allow-host', 'a.example:80'], /is not a host name/],
    [['--http', '0', '--allow-origin', 'https://a.example'], /is not a host name/],
    [['--contain'], /no meaning without --execute/],
    [['--workdir', 'absent'], /the folder .*absent cannot be read/],
    [['--root', 'absent'], /the folder .*absent cannot be read/],
    [['--http', '0', '--token-file', 'absent'], /does not exist/],
    [['--http', '192.0.2.1:1', '--token-file', 'tokens'], /cannot be listened at/],
  ])('with %j', async (args, reason) => {
    expect(await starts(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
  });

  it('with a policy that was named and cannot be used', async () => {
    expect(await starts(['--policy', 'absent'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/the policy .*absent cannot be used: there is no such file/),
    });
  });

  it('with a policy in the configuration folder that cannot be used', async () => {
    const file = join(home.config, 'kairos.policy.yaml');
    writeFileSync(file, 'version: 1\nrulez: []\n', { mode: 0o600 });
    expect(await starts([])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/the policy .*kairos\.policy\.yaml cannot be used: [\s\S]*rulez/),
    });
    rmSync(file);
  });

  it('with tokens that others can read, or that can be guessed', async () => {
    writeFileSync(join(home.work, 'open'), TOKEN, { mode: 0o644 });
    expect(await starts(['--http', '0', '--token-file', 'open'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('others have access'),
    });
    expect(await starts(['--http', '0'], { KAIROS_TOKEN: 'short' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('shorter than 16'),
    });
  });
});

it('keeps a connection for longer than its clients do', async () => {
  expect((await send('/health')).headers).toMatchObject({
    connection: 'keep-alive',
    'keep-alive': 'timeout=75',
  });
});

it('reports immediately when no client could call it by a name', async () => {
  const wide = await startHttp(home, ['--http', '0.0.0.0:0'], { KAIROS_TOKEN: TOKEN });
  expect(await wide.stop()).toBe(0);
  expect(wide.stderr()).toContain('no host name is admitted but localhost');
  expect(server.stderr()).not.toContain('no host name');
});

/** Sends chunks without a length until the server has had enough; answers what it said. */
async function sendChunked(chunk: string, times: number): Promise<string> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  for (let at = 0; at < times && !socket.destroyed && said === ''; at += 1) {
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!socket.closed) await once(socket, 'close');
  return said;
}

it('lets another user who has the id continue a run, and names them in its record', async () => {
  const [ada, bob] = await Promise.all([TOKEN, OTHER].map((token) => overHttp('sdk-2', server.url, token)));
  const { current_step, run_id } = structured<RunFields>(
    await ada!.call('kairos_begin', { key: 'walk-about' }),
  );
  const at = { uri: current_step!.uri, outcome: 'failure', message: 'Given up by another.' };
  // Without the id it is not one of theirs.
  expect(structured(await bob!.call('kairos_attest', at))).toMatchObject({ error_code: 'RUN_NOT_FOUND' });
  expect(structured(await bob!.call('kairos_attest', { ...at, run_id }))).toMatchObject({ total_rated: 1 });
  await Promise.all([ada!.close(), bob!.close()]);
  const { stdout } = await kairos(home, ['runs', 'export', run_id!], { prepares: true });
  const lines = stdout.trim().split('\n');
  const entries: { kind?: string; data?: Record<string, unknown> }[] = lines.map((line) => JSON.parse(line));
  expect(entries.slice(0, -1).map(({ kind, data }) => [kind, data?.actor ?? data?.by])).toEqual([
    ['run.begun', 'ada'],
    ['step.shown', undefined],
    ['run.sealed', 'bob'],
  ]);
  expect(await kairos(home, ['verify', run_id!])).toMatchObject({ code: 0 });
  const shown = await kairos(home, ['runs', 'show', run_id!, '--entries']);
  expect(shown.stdout).toContain('sealed with outcome failure, by bob');
});

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MintOutput } from '../../src/operations/mint.ts';
import type { SearchOutput } from '../../src/operations/search.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type HttpServer, overHttp, startHttp, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { protocolOf } from '../support/protocols.ts';

const STATIC = 'a-long-token-for-ci-01234';
let home: CliHome;
let issuer: TestIssuer;
const servers: HttpServer[] = [];
const clients: TestClient[] = [];
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'tokens'), `ci:${STATIC}\n`, { mode: 0o600 });
  issuer = await startIssuer({ path: '/realms/tea' });
});
afterEach(async () => {
  issuer.user = { sub: 'ada' };
  issuer.breakDown(null);
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) expect(await server.stop()).toBe(0);
});
afterAll(async () => {
  await issuer.close();
  home.remove();
});

async function serve(...args: string[]): Promise<HttpServer> {
  const server = await startHttp(home, ['--oidc-issuer', issuer.url, ...args]);
  servers.push(server);
  return server;
}

async function client(kind: 'sdk-1' | 'sdk-2', url: string, token: string): Promise<TestClient> {
  const made = await overHttp(kind, url, token);
  clients.push(made);
  return made;
}

/** A user with a browser: opens the page of the issuer and comes back with a code. */
class Browser {
  readonly redirectUrl = 'http://127.0.0.1:9/back';
  readonly clientMetadata = {
    client_name: 'tests',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  asked: URL | undefined;
  code = '';
  #kept: Record<string, unknown> = {};
  clientInformation = () => this.#kept.client as never;
  saveClientInformation = (client: unknown) => {
    this.#kept.client = client;
  };
  tokens = () => this.#kept.tokens as never;
  saveTokens = (tokens: unknown) => {
    this.#kept.tokens = tokens;
  };
  discoveryState = () => this.#kept.discovery as never;
  saveDiscoveryState = (discovery: unknown) => {
    this.#kept.discovery = discovery;
  };
  codeVerifier = () => this.#kept.verifier as string;
  saveCodeVerifier = (verifier: string) => {
    this.#kept.verifier = verifier;
  };
  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked = url;
    const answer = await fetch(url, { redirect: 'manual' });
    this.code = new URL(answer.headers.get('location')!).searchParams.get('code')!;
  }
}

/** Signs in as the client does by itself: the server tells it where, and for what. */
async function signIn(kind: 'sdk-1' | 'sdk-2', url: string) {
  const browser = new Browser();
  const options = { authProvider: browser as never };
  const at = new URL(url);
  const transport = () =>
    kind === 'sdk-1' ? new OldHttp(at, options) : new StreamableHTTPClientTransport(at, options);
  const fresh = () =>
    kind === 'sdk-1'
      ? new OldClient({ name: 'tests', version: '1' })
      : new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const refused = transport();
  await expect(fresh().connect(refused as never)).rejects.toThrow(/Unauthorized/);
  await refused.finishAuth(browser.code);
  const client = fresh();
  await client.connect(transport() as never);
  const call = (name: string, args: object) =>
    client.callTool({ name, arguments: { ...args } }) as Promise<Awaited<ReturnType<TestClient['call']>>>;
  return { browser, client, call };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('a server that accepts the tokens of an issuer', () => {
  it('names the issuer, at the root and for the path, without a token', async () => {
    const { url, origin } = await serve('--oidc-scope', 'kairos');
    const at = `${origin}/.well-known/oauth-protected-resource`;
    const metadata = {
      resource: url,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
      resource_name: 'kairos',
      scopes_supported: ['kairos'],
    };
    for (const place of [at, `${at}/mcp`]) {
      const answer = await fetch(place, { headers: { origin: 'http://localhost:6274' } });
      expect(await answer.json()).toEqual(metadata);
      expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:6274');
    }
    expect(await fetch(`${at}/other`)).toMatchObject({ status: 404 });
    expect(await fetch(at, { method: 'POST' })).toMatchObject({ status: 405 });
    const refused = async (headers: Record<string, string>) => {
      const { status, headers: got } = await fetch(url, { method: 'POST', headers });
      return [status, got.get('www-authenticate')];
    };
    const rest = `scope="kairos", resource_metadata="${at}/mcp"`;
    expect(await refused({})).toEqual([401, `Bearer realm="kairos", ${rest}`]);
    expect(await refused(bearer('none').headers)).toEqual([
      401,
      `Bearer realm="kairos", error="invalid_token", error_description="The token is not an access token (JWT) of the issuer", ${rest}`,
    ]);
    expect(await refused(bearer(await issuer.token(url)).headers)).toEqual([
      403,
      `Bearer realm="kairos", error="insufficient_scope", error_description="The token lacks the scope kairos", ${rest}`,
    ]);
  });

  it.each(['sdk-1', 'sdk-2'] as const)(
    'lets the client %s sign in by itself, and records the subject',
    async (kind) => {
      const { url } = await serve('--oidc-scope', 'kairos');
      issuer.user = { sub: `auth0|${kind}` };
      const { browser, client, call } = await signIn(kind, url);
      expect(browser.asked?.searchParams.get('resource')).toBe(url);
      expect(browser.asked?.searchParams.get('scope')).toBe('kairos');
      const markdown = protocolOf(['comment'], `Brew with ${kind}`);
      const { items } = structured<MintOutput>(await call('kairos_mint', { markdown_doc: markdown }));
      const begun = structured<RunFields>(await call('kairos_begin', { uri: items[0]!.uri }));
      await client.close();
      const { stdout } = await kairos(home, ['runs', 'export', begun.run_id!], { prepares: true });
      expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
        kind: 'run.begun',
        data: { actor: `auth0|${kind}`, actor_origin: 'token' },
      });
    },
  );

  it('keeps its tokens of a file', async () => {
    const { url } = await serve('--token-file', 'tokens');
    const ci = await client('sdk-2', url, STATIC);
    expect(structured(await ci.call('kairos_spaces', {}))).toHaveProperty('spaces');
  });

  it('rejects every token of an issuer that is down, and logs the reason', async () => {
    issuer.breakDown(502);
    const server = await serve();
    const answer = await fetch(server.url, { method: 'POST', ...bearer(await issuer.token(server.url)) });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(server.stderr()).toContain('returned status 502');
  });

  it('accepts tokens for another audience only if it is named', async () => {
    const { url } = await serve('--oidc-audience', 'api://tea');
    const status = async (audience: string) => {
      const token = await issuer.token(audience);
      return (await fetch(`${new URL(url).origin}/metrics`, bearer(token))).status;
    };
    expect([await status('api://tea'), await status(url)]).toEqual([200, 401]);
  });
});

describe('tenants', () => {
  const as = async (url: string, sub: string, team?: string | string[]) => issuer.token(url, { sub, team });

  it.each(['sdk-1', 'sdk-2'] as const)('see and change nothing of each other (%s)', async (kind) => {
    const server = await serve('--tenant-claim', 'team', '--token-file', 'tokens');
    const blue = await client(kind, server.url, await as(server.url, 'ada', `blue-${kind}`));
    const red = await client(kind, server.url, await as(server.url, 'eve', [`red-${kind}`]));
    const markdown = protocolOf(['user_input', 'comment'], 'Rotate the blue kettle');
    const { items } = structured<MintOutput>(await blue.call('kairos_mint', { markdown_doc: markdown }));
    const { uri } = items[0]!;
    const begun = structured<RunFields>(await blue.call('kairos_begin', { uri }));
    const runId = begun.run_id!;
    // The space of the tenant is in what a person is to type.
    const asked = structured<RunFields>(
      await blue.call('kairos_next', { uri, run_id: runId, solution: { type: 'user_input' } }),
    );
    expect(asked.message).toContain(`answer ${runId} --space blue-${kind}`);

    const spaces = async (who: TestClient) =>
      structured<{ spaces: object[] }>(await who.call('kairos_spaces', { include_chain_titles: true }))
        .spaces;
    expect(await spaces(blue)).toEqual([
      expect.objectContaining({ name: `blue-${kind}`, chains: ['Rotate the blue kettle'] }),
    ]);
    expect(await spaces(red)).toEqual([expect.objectContaining({ name: `red-${kind}`, chain_count: 0 })]);
    for (const space of [undefined, `blue-${kind}`]) {
      const found = structured<SearchOutput>(
        await red.call('kairos_search', { query: 'rotate the blue kettle', space }),
      );
      expect(found.protocol_status).toBe('no_protocol');
    }
    const nonce = { ...begun.challenge, user_input: { confirmation: 'approved' } };
    const attempts: [string, object][] = [
      ['kairos_begin', { uri }],
      ['kairos_begin', { key: 'rotate-the-blue-kettle' }],
      ['kairos_begin', { uri, resume: true }],
      ['kairos_next', { uri, run_id: runId }],
      ['kairos_next', { uri, solution: nonce }],
      ['kairos_attest', { uri, run_id: runId, outcome: 'failure', message: 'Closed by a stranger.' }],
      ['kairos_dump', { uri, protocol: true }],
      ['kairos_update', { uris: [uri], updates: { text: 'Pour it out.' } }],
      ['kairos_delete', { uris: [uri] }],
      ['kairos_mint', { markdown_doc: markdown, space: `blue-${kind}` }],
    ];
    for (const [tool, args] of attempts) {
      const { isError, structuredContent, content } = await red.call(tool, { ...args });
      const text = JSON.stringify([isError, structuredContent, content]);
      expect(text, tool).toMatch(/"NOT_FOUND|RUN_NOT_FOUND|READ_ONLY|"status":"error"|\[true/);
      expect(text, tool).not.toContain('Rotate the blue');
    }
    for (const resource of [uri, `kairos://run/${runId}`])
      await expect(red.client.readResource({ uri: resource })).rejects.toThrow();
    // Nothing happened in the run meanwhile.
    const { stdout } = await kairos(home, ['runs', 'export', runId, '--space', `blue-${kind}`], {
      prepares: true,
    });
    expect(stdout).not.toMatch(/eve|run\.sealed/);
    // A token of the file is of the space of the server.
    const ci = await client(kind, server.url, STATIC);
    expect(await spaces(ci)).toEqual([expect.objectContaining({ name: 'default' })]);
    const metrics = async (token: string) => (await fetch(`${server.origin}/metrics`, bearer(token))).status;
    expect([await metrics(STATIC), await metrics(await as(server.url, 'ada', 'blue'))]).toEqual([200, 403]);
  });

  it('keep their sessions to themselves, also for one person in two of them', async () => {
    const { url } = await serve('--tenant-claim', 'team');
    const send = async (team: string, method: string, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          ...bearer(await as(url, 'ada', team)).headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params:
            session === undefined
              ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
              : {},
        }),
      });
    const session = (await send('blue', 'initialize')).headers.get('mcp-session-id')!;
    expect((await send('blue', 'tools/list', session)).status).toBe(200);
    expect((await send('red', 'tools/list', session)).status).toBe(404);
  });

  it('must be named by the token', async () => {
    const server = await serve('--tenant-claim', 'team');
    for (const team of [undefined, ['blue', 'red'], '../blue']) {
      const answer = await fetch(server.url, {
        method: 'POST',
        ...bearer(await as(server.url, 'ada', team)),
      });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('The claim team of the token does not name one space');
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });
});

describe('behind a proxy under a path', () => {
  let proxy: Server;
  /** Null: paths are passed on as they are. */
  let strip: string | null = null;
  let target = '';
  let at = '';
  beforeAll(async () => {
    proxy = createServer((req, res) => {
      const path = strip !== null && req.url!.startsWith(strip) ? req.url!.slice(strip.length) : req.url!;
      // The host is passed on as well: proxies that keep it are the harder case.
      const on = forward(new URL(path, target), { method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      on.on('error', () => res.destroy());
      req.pipe(on);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools/kairos`;
  });
  afterAll(async () => {
    proxy.close();
    proxy.closeAllConnections();
  });

  it.each([
    ['that cuts it off', '/tools/kairos'],
    ['that passes it on', null],
  ])('%s, a client signs in and works', async (_name, cut) => {
    strip = cut;
    const server = await serve('--public-url', `${at}/mcp`);
    target = server.origin;
    const { browser, client, call } = await signIn('sdk-1', `${at}/mcp`);
    expect(browser.asked?.searchParams.get('resource')).toBe(`${at}/mcp`);
    expect(structured(await call('kairos_spaces', {}))).toHaveProperty('spaces');
    await client.close();
    expect((await fetch(`${at}/health`)).status).toBe(200);
    // A token for the inner address is for another server.
    const inner = await fetch(`${at}/mcp`, { method: 'POST', ...bearer(await issuer.token(server.url)) });
    expect(inner.status).toBe(401);
    expect(inner.headers.get('www-authenticate')).toContain(
      `resource_metadata="${at}/.well-known/oauth-protected-resource"`,
    );
  });

  it('admits the host of its public URL', async () => {
    const { origin } = await serve('--public-url', 'https://tools.example.com/kairos/mcp');
    const status = await new Promise((done) => {
      forward(new URL('/health', origin), { headers: { host: 'tools.example.com' } }, (answer) => {
        answer.resume();
        done(answer.statusCode);
      }).end();
    });
    expect(status).toBe(200);
  });
});

describe('options that do not fit', () => {
  it.each([
    [['--oidc-issuer', 'https://id.example'], /--oidc-issuer has no meaning without --http/],
    [['--public-url', 'https://a.example/mcp'], /--public-url has no meaning without --http/],
    [['--http', '0', '--tenant-claim', 'team'], /--tenant-claim has no meaning without --oidc-issuer/],
    [['--http', '0', '--oidc-scope', 'a'], /--oidc-scope has no meaning without --oidc-issuer/],
    [['--http', '0', '--oidc-audience', 'a'], /--oidc-audience has no meaning without --oidc-issuer/],
    [['--http', '0', '--oidc-issuer', 'http://id.example'], /is not the URL of an issuer/],
    [['--http', '0', '--public-url', 'https://a.example/kairos'], /is not the URL of the protocol/],
    [['--http', '0.0.0.0:0', '--oidc-issuer', 'https://id.example'], /needs --public-url/],
    [
      ['--http', '0', '--execute', '--oidc-issuer', 'https://id.example', '--tenant-claim', 'team'],
      /--execute does not go with --tenant-claim/,
    ],
  ])('%j are refused', async (args, message) => {
    const { code, stderr } = await kairos(home, ['serve', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });

  it('an issuer that names itself otherwise is refused at the start', async () => {
    const { code, stderr } = await kairos(home, ['serve', '--http', '0', '--oidc-issuer', `${issuer.url}/`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('it names itself') });
  });
});

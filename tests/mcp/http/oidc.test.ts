import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit, type Issuer } from '../../../src/mcp/http/access.ts';
import { createIssuer } from '../../../src/mcp/http/oidc.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const HERE = 'https://kairos.example/mcp';
const SPACE = 'default';

let issuer: TestIssuer;
let logged: { message: string; [field: string]: unknown }[];
let ahead = 0;
beforeEach(async () => {
  issuer = await startIssuer();
  logged = [];
  ahead = 0;
});
afterEach(() => issuer.close());

function open(
  options: { scopes?: string[]; tenantClaim?: string; url?: string; cooldownMs?: number } = {},
): Issuer {
  const warn = (message: string, fields: object = {}) => void logged.push({ message, ...fields });
  return createIssuer({
    issuer: options.url ?? issuer.url,
    scopes: options.scopes ?? [],
    tenantClaim: options.tenantClaim ?? null,
    space: SPACE,
    now: () => Date.now() + ahead,
    log: { debug: warn, info: warn, warn, error: warn },
    cooldownMs: options.cooldownMs ?? 0,
  });
}

describe('a token of the issuer', () => {
  it.each([
    ['as it is', {}],
    ['with several audiences', { aud: ['https://other.example', HERE] }],
    ['that has expired a moment ago, by another clock', { exp: Math.floor(Date.now() / 1000) - 10 }],
  ])('is accepted %s', async (_name, claims) => {
    expect(await open().identify(await issuer.token(HERE, claims), [HERE])).toEqual({
      actor: 'ada',
      space: SPACE,
    });
  });

  const past = Math.floor(Date.now() / 1000) - 3600;
  it.each<[string, string, (token: typeof issuer.token) => Promise<string>]>([
    [
      'for another audience',
      'The token is for another audience',
      (token) => token('https://other.example/mcp'),
    ],
    ['without an audience', 'The token is for another audience', (token) => token(HERE, { aud: undefined })],
    [
      'of another issuer',
      'The token is from another issuer',
      (token) => token(HERE, { iss: 'https://evil.example' }),
    ],
    ['that has expired', 'The token has expired', (token) => token(HERE, { exp: past })],
    ['that never expires', 'The token lacks a claim', (token) => token(HERE, { exp: undefined })],
    ['without a subject', 'The token lacks a claim', (token) => token(HERE, { sub: undefined })],
    ['with hidden characters in the subject', 'The subject', (token) => token(HERE, { sub: 'a\u202eb' })],
    ['that is not valid yet', 'The token is not valid yet', (token) => token(HERE, { nbf: past + 7200 })],
    [
      'for logging out',
      'The token is not an access token',
      (token) => token(HERE, {}, { typ: 'logout+jwt' }),
    ],
    ['with an unknown key', 'The signature', (token) => token(HERE, {}, { kid: 'another' })],
    ['that was changed', 'The signature', async (token) => swapClaims(await token(HERE), { sub: 'root' })],
  ])('is refused %s', async (_name, message, make) => {
    const refused = await open().identify(await make(issuer.token), [HERE]);
    expect(refused).toMatchObject({ refused: 'token', message: expect.stringContaining(message) });
  });

  it('is refused when the issuer did not sign it', async () => {
    const claims = { iss: issuer.url, aud: HERE, sub: 'root', exp: past + 7200 };
    const header = { kid: issuer.kid(), typ: 'at+jwt' };
    const published = new TextEncoder().encode(await issuer.publicPem());
    const stranger = await generateKeyPair('ES256');
    const forged = [
      new UnsecuredJWT(claims).encode(),
      // The public key as a shared secret.
      await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(published),
      await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' }).sign(stranger.privateKey),
      'opaque-token-of-another-kind',
      '',
    ];
    const kairos = open();
    for (const token of forged)
      expect(await kairos.identify(token, [HERE]), token).toMatchObject({ refused: 'token' });
  });

  it('needs the scopes of the server, in either claim', async () => {
    const kairos = open({ scopes: ['kairos', 'run'] });
    const has = async (claims: object) => kairos.identify(await issuer.token(HERE, { ...claims }), [HERE]);
    expect(await has({ scope: 'openid run kairos' })).toMatchObject({ actor: 'ada' });
    expect(await has({ scp: ['kairos', 'run'] })).toMatchObject({ actor: 'ada' });
    expect(await has({ scope: 'kairos' })).toEqual({
      refused: 'scope',
      message: 'The token lacks the scope run',
    });
    expect(await has({ scope: 'kairosrun' })).toMatchObject({ refused: 'scope' });
  });

  it('names the space of its tenant, or none', async () => {
    const kairos = open({ tenantClaim: 'https://example.com/team' });
    const of = async (team: unknown) =>
      kairos.identify(await issuer.token(HERE, { 'https://example.com/team': team }), [HERE]);
    expect(await of('blue')).toEqual({ actor: 'ada', space: 'blue' });
    expect(await of(['blue'])).toEqual({ actor: 'ada', space: 'blue' });
    for (const team of [undefined, '', null, ['blue', 'red'], [], 7, '../red', 'a b', 'x'.repeat(65)])
      expect(await of(team), String(team)).toMatchObject({ refused: 'tenant' });
  });
});

describe('the keys of the issuer', () => {
  it('are fetched once, and again when a token has a new one', async () => {
    const kairos = open();
    const old = await issuer.token(HERE);
    for (let call = 0; call < 5; call += 1)
      expect(await kairos.identify(old, [HERE])).toHaveProperty('actor');
    expect(issuer.requests).toEqual(['GET /.well-known/openid-configuration', 'GET /keys']);
    await issuer.rotate();
    expect(await kairos.identify(await issuer.token(HERE), [HERE])).toHaveProperty('actor');
    // What was taken away counts no longer.
    expect(await kairos.identify(old, [HERE])).toMatchObject({ refused: 'token' });
  });

  it('are not fetched again for each invented key', async () => {
    const kairos = open({ cooldownMs: 60_000 });
    for (let call = 0; call < 20; call += 1) {
      const token = await issuer.token(HERE, {}, { kid: `invented-${call}` });
      expect(await kairos.identify(token, [HERE])).toMatchObject({ refused: 'token' });
    }
    expect(issuer.requests).toHaveLength(2);
  });

  it('reject every token while they cannot be read, with the reason in the log, and accept them afterwards', async () => {
    const kairos = open({ cooldownMs: 1000 });
    const token = await issuer.token(HERE);
    issuer.breakDown(500);
    await kairos.ready();
    for (let call = 0; call < 3; call += 1)
      expect(await kairos.identify(token, [HERE])).toMatchObject({ refused: 'issuer' });
    expect(issuer.requests).toHaveLength(1);
    expect(logged).toEqual([
      expect.objectContaining({
        message: 'issuer unusable',
        issuer: issuer.url,
        reason: `${issuer.url}/.well-known/openid-configuration returned status 500`,
      }),
    ]);
    issuer.breakDown(null);
    ahead += 1001;
    expect(await kairos.identify(token, [HERE])).toMatchObject({ actor: 'ada' });
    // Keys that are known still count; an unknown one cannot be looked up.
    issuer.breakDown(500);
    expect(await kairos.identify(token, [HERE])).toMatchObject({ actor: 'ada' });
  });

  it('cannot come from an address without a server', async () => {
    await issuer.close();
    await open().ready();
    expect(logged[0]!.reason).toMatch(/cannot be read: ECONNREFUSED/);
    expect(await open().identify('a.b.c', [HERE])).toMatchObject({ refused: 'issuer' });
    issuer = await startIssuer();
  });
});

describe('an issuer', () => {
  it('is found below a path', async () => {
    const below = await startIssuer({ path: '/realms/tea' });
    const kairos = open({ url: below.url });
    expect(await kairos.identify(await below.token(HERE), [HERE])).toMatchObject({ actor: 'ada' });
    await below.close();
  });

  it('must name itself like the option', async () => {
    await expect(open({ url: `${issuer.url}/` }).ready()).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`it names itself ${JSON.stringify(issuer.url)}`),
    });
  });

  it.each(['http://example.com', 'ftp://127.0.0.1', 'https://example.com/?a=1', 'example.com', ''])(
    'at %j is refused',
    (url) => {
      expect(() => open({ url })).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );
});

describe('with a file of tokens and an issuer', () => {
  it('either token is accepted, but no subject with the name of a token', async () => {
    const tokens = {
      names: new Set(['bob']),
      identify: (header?: string) => (header === 'Bearer static' ? 'bob' : null),
    };
    const owner = { actor: 'owner', space: SPACE };
    const rules = { tokens, issuer: open({ tenantClaim: 'team' }), audiences: [HERE], owner };
    const as = async (claims: object) => `Bearer ${await issuer.token(HERE, { team: 'blue', ...claims })}`;
    expect(await admit(rules, 'Bearer static')).toEqual({ actor: 'bob', space: SPACE });
    expect(await admit(rules, await as({}))).toEqual({ actor: 'ada', space: 'blue' });
    expect(await admit(rules, await as({ sub: 'bob' }))).toMatchObject({ refused: 'token' });
    for (const header of [undefined, '', 'Bearer', 'Basic static', 'static'])
      expect(await admit(rules, header)).toMatchObject({ refused: 'token' });
  });
});

/** The token with other claims under the same signature. */
function swapClaims(token: string, claims: object): string {
  const [head, body, signature] = token.split('.');
  const read = JSON.parse(Buffer.from(body!, 'base64url').toString()) as object;
  const changed = Buffer.from(JSON.stringify({ ...read, ...claims })).toString('base64url');
  return [head, changed, signature].join('.');
}

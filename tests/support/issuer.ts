import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** What a token says apart from the usual; undefined leaves a claim out. */
export type Claims = Record<string, unknown>;

/** A small OpenID Connect issuer: it registers every client, and every user agrees. */
export interface TestIssuer {
  url: string;
  /** Of the newest key. */
  privateKey: () => CryptoKey;
  publicPem: () => Promise<string>;
  kid: () => string;
  /** Requests that it got, as `METHOD /path`. */
  requests: string[];
  /** Who agrees next, and what their tokens say. */
  user: Claims;
  /** A token of `audience` for the user. */
  token(
    audience: string,
    claims?: Claims,
    header?: { alg?: string; kid?: string; typ?: string },
  ): Promise<string>;
  /** Takes the old keys away and signs with a new one. */
  rotate(): Promise<void>;
  /** Answers everything with this status; null: as usual. */
  breakDown(status: number | null): void;
  close(): Promise<void>;
}

interface Grant {
  challenge: string;
  resource: string;
  scope: string;
}

export async function startIssuer({ path = '' }: { path?: string } = {}): Promise<TestIssuer> {
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  let broken: number | null = null;
  let key = await newKey();
  const http = createServer((req, res) => {
    answer(req, res).catch((error: Error) => json(res, 500, { error: error.message }));
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`;

  const issuer: TestIssuer = {
    url,
    requests,
    user: { sub: 'ada' },
    kid: () => key.kid,
    privateKey: () => key.privateKey,
    publicPem: async () => (await import('jose')).exportSPKI(key.publicKey),
    async token(audience, claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: audience, iat: now, exp: now + 300, ...issuer.user, ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey);
    },
    async rotate() {
      key = await newKey();
    },
    breakDown(status) {
      broken = status;
    },
    close: () =>
      new Promise((done) => {
        http.close(() => done());
        http.closeAllConnections();
      }),
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const at = new URL(req.url ?? '/', url);
    requests.push(`${req.method} ${at.pathname}`);
    if (broken !== null) return json(res, broken, {});
    if (at.pathname === `${path}/.well-known/openid-configuration`) {
      return json(res, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    }
    if (at.pathname === `${path}/keys`) {
      const jwk = await exportJWK(key.publicKey);
      return json(res, 200, { keys: [{ ...jwk, kid: key.kid, alg: 'ES256', use: 'sig' }] });
    }
    if (at.pathname === `${path}/register`) {
      const asked = JSON.parse(await bodyOf(req)) as object;
      return json(res, 201, { ...asked, client_id: 'tests' });
    }
    const { searchParams: asked } = at;
    if (at.pathname === `${path}/authorize`) {
      const code = randomUUID();
      grants.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        resource: asked.get('resource') ?? '',
        scope: asked.get('scope') ?? '',
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      if (asked.has('state')) back.searchParams.set('state', asked.get('state')!);
      res.writeHead(302, { location: back.href }).end();
      return;
    }
    if (at.pathname === `${path}/token`) {
      const form = new URLSearchParams(await bodyOf(req));
      const grant = grants.get(form.get('code') ?? '');
      grants.delete(form.get('code') ?? '');
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (grant === undefined || grant.challenge !== proof) return json(res, 400, { error: 'invalid_grant' });
      const token = await issuer.token(grant.resource, { scope: grant.scope });
      return json(res, 200, { access_token: token, token_type: 'Bearer', expires_in: 300 });
    }
    return json(res, 404, {});
  }
  return issuer;
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, publicKey, kid: randomUUID() };
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}

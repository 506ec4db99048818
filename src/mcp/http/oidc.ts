import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { KairosError } from '../../base/errors.ts';
import { isActorName } from '../../host/system.ts';
import { checkSpace } from '../../protocol/identity.ts';
import type { Log } from '../server/metrics.ts';
import type { Admission, Issuer } from './access.ts';

interface IssuerOptions {
  /** As the issuer writes itself in its tokens. */
  issuer: string;
  /** Scopes that every token must have. */
  scopes: readonly string[];
  /** The claim that names the space of a caller. Null: all have the space of the server. */
  tenantClaim: string | null;
  /** The space of the server. */
  space: string;
  now: () => number;
  log: Log;
  /** Milliseconds between two requests for keys that an issuer does not have, or does not give. */
  cooldownMs?: number;
}

/** Asymmetric signatures only: with a shared secret, a server that checks tokens could also make them. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Types of a token that are for access; others, such as logout tokens, have the same signature. */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);
/** Clocks differ by this many seconds. */
const SKEW_SECONDS = 30;
const TIMEOUT_MS = 5000;
const COOLDOWN_MS = 5000;
const KEYS_LIFETIME_MS = 600_000;

/** The issuer does not give its keys. */
class IssuerFault extends Error {
  /** It gives something that no waiting changes. */
  readonly isPermanent: boolean;
  constructor(message: string, isPermanent = false) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/** Throws USAGE for a URL whose answers others could change on their way. */
function checkIssuer(text: string): void {
  if (isSafeUrl(text) && new URL(text).search === '' && new URL(text).hash === '') return;
  throw new KairosError('USAGE', `--oidc-issuer ${JSON.stringify(text)} is not the URL of an issuer`, {
    hint: 'Write it as the issuer names itself: https://…, without query; http:// only on this machine.',
  });
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/**
 * Checks access tokens (JWT) with the published keys of an OpenID Connect issuer. Its keys are fetched again when a token
 * names an unknown one. While they cannot be fetched, no token is accepted. Throws USAGE for an unsafe URL.
 */
export function createIssuer(options: IssuerOptions): Issuer {
  const { issuer, scopes, log, now, cooldownMs = COOLDOWN_MS } = options;
  checkIssuer(issuer);
  let failed: { at: number; fault: IssuerFault } | null = null;
  let keys: ReturnType<typeof createRemoteJWKSet> | null = null;

  /** Fetches, but not again right after a failure, so that callers can't make this server send many requests. */
  const fetchOnce: typeof fetchJson = async (url, signal) => {
    if (failed !== null && now() - failed.at < cooldownMs) throw failed.fault;
    try {
      const found = await fetchJson(url, signal);
      failed = null;
      return found;
    } catch (error) {
      const fault = error instanceof IssuerFault ? error : new IssuerFault(String(error));
      failed = { at: now(), fault };
      log.warn('issuer unusable', {
        issuer,
        reason: fault.message,
        effect: 'callers with its tokens get 503',
      });
      throw fault;
    }
  };

  async function openKeys(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const uri = await findKeys(issuer, fetchOnce);
    return createRemoteJWKSet(uri, {
      cooldownDuration: cooldownMs,
      cacheMaxAge: KEYS_LIFETIME_MS,
      [customFetch]: async (url, { signal }) => {
        const set = await fetchOnce(url, signal);
        if (set === null) throw new IssuerFault(`${url} does not exist`);
        return Response.json(set);
      },
    });
  }

  async function verify(token: string, audiences: readonly string[]): Promise<JWTPayload> {
    keys ??= await openKeys();
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience: [...audiences],
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['exp', 'sub'],
    });
    if (!TYPES.has(protectedHeader.typ?.toLowerCase()))
      throw new errors.JWTInvalid(`a token of type ${protectedHeader.typ} is not for access`);
    return payload;
  }

  return {
    url: issuer,
    scopes,
    async ready() {
      try {
        keys ??= await openKeys();
        await keys.reload();
      } catch (error) {
        if (!(error instanceof IssuerFault)) throw error;
        if (error.isPermanent)
          throw new KairosError('USAGE', `--oidc-issuer ${issuer} cannot be used: ${error.message}`, {
            hint: 'Write the issuer exactly as it names itself in its own configuration.',
          });
      }
    },
    async identify(token, audiences) {
      try {
        return callerOf(await verify(token, audiences), options);
      } catch (error) {
        if (isIssuerFault(error)) {
          // Its keys may have moved.
          if (keys?.fresh === false) keys = null;
          return { refused: 'issuer', message: 'The issuer of tokens cannot be reached; try again later' };
        }
        if (!(error instanceof errors.JOSEError)) throw error;
        return { refused: 'token', message: wordsFor(error), detail: error.message };
      }
    },
  };
}

/** Reads JSON; null where there is nothing. Throws IssuerFault. */
async function fetchJson(url: string, signal = AbortSignal.timeout(TIMEOUT_MS)): Promise<unknown> {
  const answer = await fetch(url, {
    signal,
    redirect: 'manual',
    headers: { accept: 'application/json' },
  }).catch((error: Error & { cause?: { code?: string; message?: string } }) => {
    const why = error.cause?.code ?? error.cause?.message ?? error.message;
    throw new IssuerFault(`${url} cannot be read: ${why}`);
  });
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw new IssuerFault(`${url} returned status ${answer.status}`);
  return answer.json().catch(() => {
    throw new IssuerFault(`${url} did not return JSON`);
  });
}

/** Where the keys are: OpenID Connect Discovery, or else RFC 8414. */
async function findKeys(issuer: string, read: typeof fetchJson): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
  for (const place of places) {
    const found = (await read(place)) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (found === null) continue;
    if (found.issuer !== issuer)
      throw new IssuerFault(`it names itself ${JSON.stringify(found.issuer)} at ${place}`, true);
    if (typeof found.jwks_uri !== 'string' || !isSafeUrl(found.jwks_uri))
      throw new IssuerFault(`jwks_uri at ${place} is not an https URL`, true);
    return new URL(found.jwks_uri);
  }
  throw new IssuerFault(`there is neither ${places.join(' nor ')}`);
}

function isIssuerFault(error: unknown): boolean {
  if (error instanceof IssuerFault || error instanceof errors.JWKSTimeout) return true;
  return error instanceof errors.JWKSInvalid || (error as { code?: unknown }).code === 'ERR_JOSE_GENERIC';
}

/** Fixed words, because they go into a header, to an unknown caller. */
function wordsFor(error: InstanceType<typeof errors.JOSEError>): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'The token is for another audience';
    if (error.claim === 'iss') return 'The token is from another issuer';
    if (error.claim === 'nbf') return 'The token is not valid yet';
    if (error.reason === 'missing') return 'The token lacks a claim that is needed: exp and sub';
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
    return 'The signature of the token does not fit the keys of the issuer';
  return 'The token is not an access token (JWT) of the issuer';
}

/** The subject, and the space that its tenant has. */
function callerOf(claims: JWTPayload, { scopes, tenantClaim, space }: IssuerOptions): Admission {
  const { sub } = claims;
  if (!isActorName(sub)) return { refused: 'token', message: 'The subject of the token cannot be a name' };
  const has = scopesOf(claims);
  const missing = scopes.filter((scope) => !has.has(scope));
  if (missing.length > 0)
    return { refused: 'scope', message: `The token lacks the scope ${missing.join(' ')}` };
  if (tenantClaim === null) return { actor: sub, space };
  const value = claims[tenantClaim];
  const tenant = Array.isArray(value) && value.length === 1 ? value[0] : value;
  try {
    return { actor: sub, space: checkSpace(typeof tenant === 'string' ? tenant : '') };
  } catch {
    return {
      refused: 'tenant',
      message: `The claim ${tenantClaim} of the token does not name one space: it must be one text of letters, digits, dots, hyphens and underscores`,
    };
  }
}

/** RFC 9068 (`scope`), and the `scp` of some issuers. */
function scopesOf({ scope, scp }: JWTPayload): Set<string> {
  return new Set([scope, scp].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ') : [])));
}

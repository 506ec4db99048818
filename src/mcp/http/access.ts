import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { KairosError } from '../../base/errors.ts';
import { readPrivateFile } from '../../host/files/private-files.ts';

export interface HttpAddress {
  /** Without brackets. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** Reachable from this machine only. */
  loopback: boolean;
}

/** Reads `[host:]port`; an IPv6 address is in brackets. Throws USAGE for anything else. */
export function parseAddress(text: string): HttpAddress {
  const match = /^(?:(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+):)?(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  if (match === null || port > 65_535) {
    throw new KairosError('USAGE', `invalid address ${JSON.stringify(text)}`, {
      hint: 'Write [host:]port, for example 8080, 0.0.0.0:8080 or [::1]:8080.',
    });
  }
  const host = (match.groups!.host ?? '127.0.0.1').replace(/^\[|\]$/g, '').toLowerCase();
  return { host, port, loopback: isLoopback(host) };
}

/** Its form in a URL or a Host header. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * A host name in its URL form: lower-case, other alphabets in ASCII. Throws USAGE for a text that can't be
 * the host of a request: a scheme, port, path or star would never match one.
 */
export function hostName(flag: string, text: string): string {
  const url = `http://${text}`;
  if (/^(?:\[[0-9a-f:.]+\]|[^\s:/?#@*[\]\\]+)$/i.test(text) && URL.canParse(url))
    return new URL(url).hostname;
  throw new KairosError('USAGE', `${flag} ${JSON.stringify(text)} is not a host name`, {
    hint: 'Write the name alone, without scheme, port or path: example.com, or [::1].',
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Who calls: the name on the record, and the one space that its calls can see. */
export interface HttpCaller {
  actor: string;
  space: string;
}

/** A caller, or the reason to reject it: `message` for the response, `detail` for the log. */
export type Admission =
  | HttpCaller
  | { refused: 'token' | 'scope' | 'tenant' | 'issuer'; message: string; detail?: string };

/** Who may call, by a token from a file. */
export interface Tokens {
  names: ReadonlySet<string>;
  /** The name for the `Authorization` header, or null without a valid token. */
  identify(authorization: string | undefined): string | null;
}

/** Who may call, by an access token that an issuer signed. */
export interface Issuer {
  url: string;
  scopes: readonly string[];
  /** Reads its keys. An issuer that cannot be reached is logged; throws USAGE for one that names itself otherwise. */
  ready(): Promise<void>;
  identify(token: string, audiences: readonly string[]): Promise<Admission>;
}

interface AdmissionRules {
  tokens: Tokens | null;
  issuer: Issuer | null;
  /** What a token of the issuer must be for. */
  audiences: readonly string[];
  /** The owner of the server, who calls if no token is required. */
  owner: HttpCaller;
}

/** Admits a caller by its `Authorization` header: by a token of the file first, then by one of the issuer. */
export async function admit(
  { tokens, issuer, audiences, owner }: AdmissionRules,
  authorization: string | undefined,
): Promise<Admission> {
  if (tokens === null && issuer === null) return owner;
  const name = tokens?.identify(authorization) ?? null;
  if (name !== null) return { actor: name, space: owner.space };
  const token = bearer(authorization);
  if (issuer === null || token === undefined)
    return { refused: 'token', message: 'A bearer token is needed' };
  const caller = await issuer.identify(token, audiences);
  if ('actor' in caller && tokens?.names.has(caller.actor))
    return {
      refused: 'token',
      message: 'The subject of the token is also the name of a token of this server',
    };
  return caller;
}

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** Where clients find the server, if not at the address that it listens on. */
export interface PublicUrl {
  /** Of the protocol, as clients call it. */
  url: string;
  host: string;
  /** The path before that of the protocol; empty at the root of the host. */
  prefix: string;
}

/** Reads `--public-url`. Throws USAGE for a URL that is not one of the protocol. */
export function publicUrl(text: string, path: string): PublicUrl {
  if (URL.canParse(text)) {
    const url = new URL(text);
    const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    if (/^https?:$/.test(url.protocol) && isPlain && url.pathname.endsWith(path))
      return { url: url.href, host: url.hostname, prefix: url.pathname.slice(0, -path.length) };
  }
  throw new KairosError('USAGE', `--public-url ${JSON.stringify(text)} is not the URL of the protocol`, {
    hint: `Write the URL that clients use, for example https://tools.example.com/kairos${path}.`,
  });
}

const METADATA = '/.well-known/oauth-protected-resource';

/** What a client has to know of this server to get a token for it (RFC 9728). */
export interface ProtectedResource {
  /** Named where a token is missing. */
  metadataUrl: string;
  metadata: Record<string, unknown>;
  /** Whether the metadata is at this path: at the root, below the prefix, and as a client makes it of the URL. */
  isAt(path: string): boolean;
}

export function protectedResource(
  { url: issuer, scopes }: Issuer,
  { url, prefix }: PublicUrl,
): ProtectedResource {
  const { origin, pathname } = new URL(url);
  const path = pathname.slice(prefix.length);
  const places = ['', '/', path, pathname].map((suffix) => `${METADATA}${suffix}`);
  return {
    // A proxy that passes on one path passes this on too.
    metadataUrl: `${origin}${prefix}${METADATA}${prefix === '' ? path : ''}`,
    metadata: {
      resource: url,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'kairos',
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    },
    isAt: (asked) => places.includes(asked),
  };
}

/** Long enough not to be guessed. */
const MIN_LENGTH = 16;
const NAME = /^[A-Za-z0-9._@-]{1,64}$/;
/** RFC 6750: the characters of a bearer token. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Tokens of a file that only its owner can read, or of KAIROS_TOKEN: one a line, as `token` or `name:token`; `#` starts
 * a comment. Without a name the caller is called `bearer`. Null when neither is given. USAGE when one cannot be used.
 */
export async function loadTokens(file: string | undefined, env: string | undefined): Promise<Tokens | null> {
  const source = file === undefined ? env || undefined : await readTokenFile(file);
  if (source === undefined) return null;
  const where = file ?? 'KAIROS_TOKEN';
  const lines = source
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw unusable(where, 'contains no token');
  const known = lines.map((line) => {
    const colon = line.indexOf(':');
    const name = colon === -1 ? 'bearer' : line.slice(0, colon).trim();
    const token = line.slice(colon + 1).trim();
    if (!NAME.test(name))
      throw unusable(where, 'names a caller with characters other than A-Z a-z 0-9 . _ @ -');
    if (token.length < MIN_LENGTH || !TOKEN.test(token)) {
      throw unusable(
        where,
        `contains a token that is shorter than ${MIN_LENGTH} characters or has characters that a bearer token may not have`,
      );
    }
    return { name, hash: hashOf(token) };
  });
  return {
    names: new Set(known.map(({ name }) => name)),
    identify(authorization) {
      const token = bearer(authorization);
      if (token === undefined) return null;
      const hash = hashOf(token);
      // Every one is compared, so that the time reveals nothing.
      const found = known.filter((candidate) => timingSafeEqual(candidate.hash, hash));
      return found[0]?.name ?? null;
    },
  };
}

async function readTokenFile(file: string): Promise<string> {
  const text = await readPrivateFile(file, 'closed').catch((cause: Error) => {
    throw unusable(file, `cannot be used: ${cause.message}`);
  });
  if (text === null) throw unusable(file, 'does not exist');
  return text;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function unusable(where: string, reason: string): KairosError {
  return new KairosError('USAGE', `${where} ${reason}`, {
    hint: 'Write one token a line, at least 16 letters and digits, into a file that only you can read (chmod 600).',
  });
}

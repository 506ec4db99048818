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

/** Who may call, by bearer token. */
export interface Tokens {
  /** The name for the `Authorization` header, or null without a valid token. */
  identify(authorization: string | undefined): string | null;
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
    identify(authorization) {
      const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
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

import { isIP } from 'node:net';
import { KairosError } from '../../base/errors.ts';

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

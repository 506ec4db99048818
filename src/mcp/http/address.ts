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

/** Reads `[host:]port`; an IPv6 address stands in brackets. USAGE when it is neither. */
export function parseAddress(text: string): HttpAddress {
  const match = /^(?:(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+):)?(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  if (match === null || port > 65_535) {
    throw new KairosError('USAGE', `${JSON.stringify(text)} is no address to serve at`, {
      hint: 'Write [host:]port, for example 8080, 0.0.0.0:8080 or [::1]:8080.',
    });
  }
  const host = (match.groups!.host ?? '127.0.0.1').replace(/^\[|\]$/g, '').toLowerCase();
  return { host, port, loopback: isLoopback(host) };
}

/** As it stands in a URL or a Host header. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

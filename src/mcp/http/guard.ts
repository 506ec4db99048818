import type { IncomingMessage, ServerResponse } from 'node:http';
import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { RPC, replyError } from './reply.ts';

export interface GuardOptions {
  /** Names under which clients may call this server, without ports; IPv6 in brackets. */
  hosts: string[];
  /** Host names of web pages that may call; a request without Origin is no web page's. */
  origins: string[];
}

/**
 * Refuses what a web page in the user's browser could send: requests under a foreign Host (DNS rebinding) or with a
 * foreign Origin. Answers why, or null when the request may go on.
 */
export function refuseForeign(
  req: IncomingMessage,
  res: ServerResponse,
  { hosts, origins }: GuardOptions,
): 'host' | 'origin' | null {
  const host = validateHostHeader(req.headers.host, hosts);
  if (!host.ok) {
    replyError(res, 403, RPC.refused, `${host.message}. Start the server with --allow-host to admit it.`);
    return 'host';
  }
  const origin = validateOriginHeader(req.headers.origin, origins);
  if (!origin.ok) {
    replyError(res, 403, RPC.refused, `${origin.message}. Start the server with --allow-origin to admit it.`);
    return 'origin';
  }
  return null;
}

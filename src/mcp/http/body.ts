import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeeperThan, MAX_MESSAGE_DEPTH } from '../../base/json.ts';
import { hasDoubledKeys, readParameters } from '../server/read-arguments.ts';

/** A request's body: read and parsed, or why not. */
type Body = { ok: true; value: unknown } | { ok: false; reason: Reason };

export type Reason = 'too-large' | 'not-json' | 'too-deep' | 'doubled-keys' | 'gone';

/** A document is at most 1 MiB, and JSON may double its length. */
export const MAX_BODY_BYTES = 4 << 20;

/** Keeps at most MAX_BODY_BYTES of a JSON body; the rest of one that is larger is left to be read away. */
export async function readBody(req: IncomingMessage): Promise<Body> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return { ok: false, reason: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return { ok: false, reason: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { ok: false, reason: 'gone' };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, MAX_MESSAGE_DEPTH)) return { ok: false, reason: 'too-deep' };
    return hasDoubledKeys(text, value)
      ? { ok: false, reason: 'doubled-keys' }
      : { ok: true, value: readParameters(value) };
  } catch {
    return { ok: false, reason: 'not-json' };
  }
}

/** Responds with JSON; the unread rest of the request is dropped with the connection. */
export function replyJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = `${JSON.stringify(body)}\n`;
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    ...headers,
  });
  res.end(text);
}

/** A refusal in the words of JSON-RPC, which is what clients of the protocol read. */
export function replyError(
  res: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  replyJson(res, status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}

/** JSON-RPC 2.0 codes, and those that servers of this protocol use for their transport. */
export const RPC = { parse: -32700, invalidRequest: -32600, refused: -32000, noSession: -32001 } as const;

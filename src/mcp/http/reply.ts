import type { ServerResponse } from 'node:http';

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

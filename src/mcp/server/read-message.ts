import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isDeeperThan, isObject, MAX_MESSAGE_DEPTH } from '../../base/json.ts';
import { ID_IN_USE } from './open-requests.ts';
import { DOUBLED_KEYS, hasDoubledKeys, readParameters } from './read-arguments.ts';

/**
 * The response to a message that isn't a request (JSON-RPC 2.0, section 5.1). Its id is null if none could be
 * read.
 */
export interface JsonRpcError {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string; data?: unknown };
}

/** The only revision with batches. */
export const BATCHING = '2025-03-26';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** Those in which every request names its revision. */
const MODERN_REVISIONS = ['2026-07-28'];
const SPOKEN = new Set([...MODERN_REVISIONS, ...SUPPORTED_PROTOCOL_VERSIONS]);

/**
 * The message in a line of standard input, or the response to a line that no later reader would answer, so
 * that its client doesn't wait forever. Only the envelope is checked (JSON-RPC 2.0, MCP's ids: texts or whole
 * numbers), and the revision of a request, which is otherwise checked only once for a connection.
 */
export function readMessage(line: string): { message: JSONRPCMessage } | { refusal: JsonRpcError } {
  let message: unknown;
  try {
    message = readParameters(JSON.parse(line));
  } catch {
    return refused(null, PARSE_ERROR, 'this line is not JSON: send one message a line');
  }
  if (isDeeperThan(message, MAX_MESSAGE_DEPTH)) {
    return refused(null, INVALID_REQUEST, `a message nests at most ${MAX_MESSAGE_DEPTH} levels deep`);
  }
  if (Array.isArray(message)) {
    return refused(
      null,
      INVALID_REQUEST,
      `batches are part of revision ${BATCHING} alone: send each message on a separate line`,
    );
  }
  if (!isObject(message)) return refused(null, INVALID_REQUEST, 'a message is a JSON object');
  const fault =
    ('method' in message ? faultOfCall(message) : faultOfReply(message)) ??
    (hasDoubledKeys(line, message) ? DOUBLED_KEYS : null) ??
    (isMessage(message) ? null : 'id, params or params._meta are not as the protocol has them');
  const id = isId(message.id) ? message.id : null;
  if (fault !== null) return refused(id, INVALID_REQUEST, fault);
  const wrong = id === null ? null : unsupported(message);
  if (wrong !== null) return { refusal: { jsonrpc: '2.0', id, error: wrong } };
  return { message: message as unknown as JSONRPCMessage };
}

/** The parts of a batch, each a message or the response to an invalid part; a response alone for an invalid batch. */
export function readBatch(line: string): ReturnType<typeof readMessage>[] | { refusal: JsonRpcError } {
  let parts: unknown;
  try {
    parts = JSON.parse(line);
  } catch {
    return readMessage(line) as { refusal: JsonRpcError };
  }
  if (isDeeperThan(parts, MAX_MESSAGE_DEPTH) || !Array.isArray(parts))
    return readMessage(line) as { refusal: JsonRpcError };
  if (parts.length === 0) return refused(null, INVALID_REQUEST, 'a batch has at least one message');
  if (hasDoubledKeys(line, parts)) return refused(null, INVALID_REQUEST, DOUBLED_KEYS);
  return parts.map((part) => readMessage(JSON.stringify(part)));
}

/**
 * For a request with the id of another one. Its id is left out, because the other request's caller would read
 * this as its response.
 */
export function refuseId(): { refusal: JsonRpcError } {
  return refused(null, INVALID_REQUEST, ID_IN_USE);
}

/** For a line that was too long to be read. */
export function refuseLength(most: number): { refusal: JsonRpcError } {
  return refused(null, INVALID_REQUEST, `a message has at most ${most} bytes; this one was not read`);
}

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);

function faultOfCall(message: Record<string, unknown>): string | null {
  if (message.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof message.method !== 'string') return 'method must be a string';
  const unknown = Object.keys(message).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) return `a request or notification has no ${JSON.stringify(unknown)}`;
  if ('id' in message && !isId(message.id)) return 'id must be a string or a whole number';
  const { params } = message;
  if (params === undefined) return null;
  if (!isObject(params)) return 'params must be an object';
  return params._meta === undefined || isObject(params._meta) ? null : 'params._meta must be an object';
}

function faultOfReply(message: Record<string, unknown>): string | null {
  if (message.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (isObject(message.result) || isObject(message.error)) return null;
  return 'a message has a method, or else a result or an error, which are objects';
}

function refused(id: JsonRpcError['id'], code: number, message: string): { refusal: JsonRpcError } {
  return { refusal: { jsonrpc: '2.0', id, error: { code, message } } };
}

function isMessage(message: unknown): boolean {
  return isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message);
}

function unsupported({ params }: Record<string, unknown>): JsonRpcError['error'] | null {
  const meta = isObject(params) ? params._meta : undefined;
  const requested = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  if (typeof requested !== 'string' || SPOKEN.has(requested)) return null;
  const { code, message, data } = new UnsupportedProtocolVersionError({
    supported: MODERN_REVISIONS,
    requested,
  });
  return { code, message, data };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

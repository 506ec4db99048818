import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
} from '@modelcontextprotocol/server';
import { LATE_MS } from './late.ts';
import type { OpenAsks } from './open-asks.ts';

/** The only content of a request state: the id of the question. Its details never leave the server. */
export interface StatePayload {
  id: string;
}

/** Signs and checks the request states of one caller's connection (HMAC-SHA256, expiring, bound to method and caller). */
export function stateCodec(
  { key }: OpenAsks,
  { actor, timeoutMs }: { actor: string; timeoutMs: number },
): RequestStateCodec<StatePayload> {
  return createRequestStateCodec<StatePayload>({
    key,
    ttlSeconds: Math.ceil((timeoutMs + LATE_MS) / 1000),
    bind: ({ mcpReq }) => `${mcpReq.method}\0${actor}`,
  });
}

/** The rejection of a state that is forged, used, or sent with another call: the same text for each. */
export function stateRefused(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  });
}

import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { argumentsHash } from '../../operations/input.ts';
import { type ClientQuestion, type InputsQuestion, requestFor } from './ask.ts';
import type { OpenAsks } from './open-asks.ts';
import { ANSWER } from './question.ts';
import { LATE_MS } from './settings.ts';

/** The call that asks, or that has an answer. */
interface Bound {
  asks: OpenAsks;
  codec: RequestStateCodec<StatePayload>;
  request: ServerContext;
  actor: string;
  params: { name: string; arguments?: Record<string, unknown> | undefined };
  modern: boolean;
}

/** Returns a question in a result, as in the revision of 2026-07-28. */
export function suspension(bound: Bound): (ask: ClientQuestion) => Promise<InputRequiredResult | null> {
  const { asks, codec, request, actor, params } = bound;
  return async (ask) => {
    const asked = requestFor(ask);
    const sealed = await asks.seal({
      ask: kept(ask),
      tool: params.name,
      argumentsSha256: argumentsHash(params.arguments),
      actor,
    });
    if (sealed === null) return null;
    const entry =
      asked.method === 'elicitation/create'
        ? inputRequired.elicit(asked.params)
        : inputRequired.createMessage(asked.params);
    const requestState = await codec.mint({ ask: sealed }, request);
    return inputRequired({ inputRequests: { [ANSWER]: entry }, requestState });
  };
}

/**
 * The question that a call answers; null without a request state: an answer to no question is ignored. Throws
 * -32602 for a state that was used, or that belongs to another call, tool or caller.
 */
export async function resumption({
  asks,
  request,
  actor,
  params,
  modern,
}: Bound): Promise<ClientQuestion | null> {
  const payload = request.mcpReq.requestState<StatePayload>();
  if (payload === undefined) return null;
  const open = modern ? await asks.open(payload.ask, actor) : undefined;
  if (
    open === undefined ||
    open.tool !== params.name ||
    open.argumentsSha256 !== argumentsHash(params.arguments)
  ) {
    throw stateRefused();
  }
  return open.ask;
}

/** What the answer is read and submitted with; the rest only makes the state longer. */
function kept(ask: ClientQuestion): ClientQuestion {
  if (ask.asked === 'inputs') return { ...ask, form: EMPTY_FORM };
  const { type, nonce, proof_hash, user_input, sampling } = ask.challenge;
  return { ...ask, challenge: { type, description: '', nonce, proof_hash, user_input, sampling } };
}

const EMPTY_FORM: InputsQuestion['form'] = {
  message: '',
  requestedSchema: { type: 'object', properties: {} },
};

/** The only content of a request state: the question, encrypted. */
export interface StatePayload {
  ask: string;
}

/** Signs and checks the request states of one caller's connection (HMAC-SHA256, expiring, bound to method and caller). */
export function stateCodec(
  { key }: OpenAsks,
  { actor, timeoutMs }: { actor: string; timeoutMs: number },
): RequestStateCodec<StatePayload> {
  let made: RequestStateCodec<StatePayload> | undefined;
  const codec = async () => {
    made ??= createRequestStateCodec<StatePayload>({
      key: await key(),
      ttlSeconds: Math.ceil((timeoutMs + LATE_MS) / 1000),
      bind: ({ mcpReq }) => `${mcpReq.method}\0${actor}`,
    });
    return made;
  };
  return {
    mint: async (payload, ctx) => (await codec()).mint(payload, ctx),
    verify: async (state, ctx) => (await codec()).verify(state, ctx),
  };
}

/** The rejection of a state that is forged, used, or sent with another call: the same text for each. */
function stateRefused(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  });
}

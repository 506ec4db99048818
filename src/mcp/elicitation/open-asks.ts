import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
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
import type { AskedSubject } from './plan.ts';
import { ANSWER } from './question.ts';
import { LATE_MS } from './settings.ts';

/** A question that went out in an `input_required` result, and what the answer has to come with. */
export interface OpenAsk {
  ask: ClientQuestion;
  tool: string;
  /** SHA-256 of the canonical arguments of the call that asked. */
  argumentsSha256: string;
  actor: string;
}

/**
 * The open questions of clients of 2026-07-28. A question travels in its request state, encrypted, so any server with the
 * same key accepts its answer. A server accepts each once; of two servers the ledger lets the nonce of the question be spent once.
 */
export interface OpenAsks {
  /** Signs and encrypts request states; read once. Servers of one user have the same. */
  key(): Promise<Uint8Array>;
  /** The question as text for its request state; null when the client was asked it twice and never answered. */
  seal(open: OpenAsk): Promise<string | null>;
  /** The question, once; undefined when the text is invalid, already answered, expired, or another caller's. */
  open(text: string, actor: string): Promise<OpenAsk | undefined>;
}

/** A client that has dropped as many questions about one step is not asked again. */
const MOST_UNANSWERED = 2;

interface OpenAsksOptions {
  now: () => number;
  /** After this a question is forgotten. */
  lifetimeMs: number;
  key: () => Promise<Uint8Array>;
}

export function createOpenAsks({ now, lifetimeMs, key: loadKey }: OpenAsksOptions): OpenAsks {
  /** By id, when it was opened; in that order. */
  const taken = new Map<string, number>();
  /** Questions without an answer, by what they ask about. */
  const unanswered = new Map<string, { count: number; at: number }>();
  let loading: Promise<Uint8Array> | undefined;
  const key = () => {
    loading ??= loadKey().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  function forget(): void {
    const before = now() - lifetimeMs;
    for (const [id, at] of taken) if (at < before) taken.delete(id);
    for (const [about, { at }] of unanswered) if (at < before) unanswered.delete(about);
  }

  return {
    key,
    async seal(open) {
      forget();
      const about = aboutOf(open);
      const { count } = unanswered.get(about) ?? { count: 0 };
      unanswered.delete(about);
      if (count >= MOST_UNANSWERED) return null;
      unanswered.set(about, { count: count + 1, at: now() });
      return encrypt(await key(), JSON.stringify({ ...open, id: randomUUID() }));
    },
    async open(text, actor) {
      const plain = decrypt(await key(), text);
      if (plain === null) return undefined;
      const { id, ...open } = JSON.parse(plain) as OpenAsk & { id: string };
      if (open.actor !== actor || taken.has(id)) return undefined;
      taken.set(id, now());
      unanswered.delete(aboutOf(open));
      return open.ask.askedAt < now() - lifetimeMs ? undefined : open;
    },
  };
}

function aboutOf({ actor, ask: { runId, uri, asked, driver } }: OpenAsk): string {
  // No run has begun that a question about inputs could belong to.
  return JSON.stringify([actor, asked === 'inputs' ? null : runId, uri, asked, driver]);
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(key: Uint8Array, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** Null for a text that was not encrypted with this key. */
function decrypt(key: Uint8Array, text: string): string | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}

/** Interval of progress notifications while an answer is awaited, in milliseconds. */
const PROGRESS_MS = 15_000;

const WORDS: Record<AskedSubject, string> = {
  user_input: "Waiting for the user's answer.",
  sampling: "Waiting for the model's answer.",
  inputs: "Waiting for the user's inputs.",
};

/** Reports to the client from time to time that an answer is pending, until it arrives. */
export async function waiting<T>(
  asked: AskedSubject,
  progress: (message: string) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  await progress(WORDS[asked]);
  const timer = setInterval(() => void progress(WORDS[asked]), PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

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

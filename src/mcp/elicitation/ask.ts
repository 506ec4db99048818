import {
  type ElicitRequestFormParams,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Verify } from '../../host/verifier/openai-compatible.ts';
import { isValidSample, loadAnswerPatterns } from '../../operations/answer.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import type { Challenge } from '../../run/walk-fields.ts';
import type { AskedProofType, ElicitationMethod, ElicitationOutcome } from './plan.ts';
import {
  choicesOf,
  readConfirmation,
  readSampledConfirmation,
  readSampledOutput,
  type SamplingParams,
  samplingForStep,
  samplingForUser,
  type UserInputDefinition,
} from './question.ts';

/** One question to the client: what it is about, and what hangs on the answer. */
export type ClientQuestion = StepQuestion | InputsQuestion;

/** About the inputs of a run that has not begun. */
export interface InputsQuestion {
  asked: 'inputs';
  driver: 'elicitation';
  /** The id that the run is to have, so that one answer begins one run. */
  runId: string;
  /** URI or slug of the protocol, as the call names it. */
  uri: string;
  form: ElicitRequestFormParams;
  /** Milliseconds since the epoch. */
  askedAt: number;
}

/** About the pending step of a run. */
export interface StepQuestion {
  asked: AskedProofType;
  driver: ElicitationMethod;
  /** Who is tried if this comes to nothing. */
  rest: readonly ElicitationMethod[];
  runId: string;
  /** Of the step that is asked about. */
  uri: string;
  /** Protocol and step, for the user: a form is often all that they see. */
  place: string;
  /** The challenge that the answer is bound to: its nonce ties it to run, step and place in the step. */
  challenge: Challenge;
  /** The client may be asked to run the model without the user's approval. */
  auto: boolean;
  /** Questions that this call has had answered before. */
  before: number;
  /** Milliseconds since the epoch. */
  askedAt: number;
  /** Hash of the proof that the call stored before it came to ask; null: none. */
  proofHash: string | null;
  /** The message about that. */
  note: string | null;
}

/** The request that asks, in the words of MCP; its shape is the same in both eras. */
type AskRequest =
  | { method: 'elicitation/create'; params: ElicitRequestFormParams }
  | { method: 'sampling/createMessage'; params: SamplingParams };

/** The request for a question. Throws when the challenge is not of the type that is asked about. */
export function requestFor(ask: ClientQuestion): AskRequest {
  if (ask.asked === 'inputs') return { method: 'elicitation/create', params: ask.form };
  const { asked, driver, challenge, auto, place } = ask;
  const { sampling, user_input: userInput } = challenge;
  if (asked === 'sampling' && sampling !== undefined) {
    return { method: 'sampling/createMessage', params: samplingForStep(sampling, { auto }) };
  }
  if (userInput === undefined) throw new Error(`a challenge of type ${challenge.type} cannot be asked about`);
  return driver === 'elicitation'
    ? { method: 'elicitation/create', params: formFor(userInput, place) }
    : { method: 'sampling/createMessage', params: samplingForUser(userInput) };
}

/** What came back from the client, unread. */
export type ClientReply =
  | { kind: 'result'; result: unknown }
  | { kind: 'declined' | 'timed_out' | 'failed' | 'invalid' | 'cancelled'; reason: string };

/** How a client reports that its user refused a sampling request (MCP, sampling, error handling). */
const USER_REJECTED = -1;

/**
 * Asks a client of the 2025 revisions with a server request and waits at most `timeoutMs`. Never throws:
 * every failure is a reply. No lock is kept while waiting. When the call is cancelled, the client is informed
 * that the question is cancelled too.
 */
export async function push(
  { mcpReq }: ServerContext,
  { method, params }: AskRequest,
  timeoutMs: number,
): Promise<ClientReply> {
  const { signal } = mcpReq;
  try {
    const request = { method, params: { ...params } as Record<string, unknown> };
    const result = await mcpReq.send(request, { signal, timeout: timeoutMs });
    return { kind: 'result', result };
  } catch (error) {
    return signal.aborted ? { kind: 'cancelled', reason: 'the call was cancelled' } : replyOf(error);
  }
}

function replyOf(error: unknown): ClientReply {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof SdkError) {
    const { code } = error;
    if (code === SdkErrorCode.RequestTimeout) return { kind: 'timed_out', reason };
    if (code === SdkErrorCode.ConnectionClosed) return { kind: 'cancelled', reason };
    return { kind: code === SdkErrorCode.InvalidResult ? 'invalid' : 'failed', reason };
  }
  const rejected = error instanceof ProtocolError && (error.code as number) === USER_REJECTED;
  return { kind: rejected ? 'declined' : 'failed', reason };
}

/** The form that a step's prompt becomes (`elicitation/create`): one field, with the step's choices or pattern. */
export function formFor(definition: UserInputDefinition, place: string): ElicitRequestFormParams {
  return {
    message: definition.prompt,
    requestedSchema: {
      type: 'object',
      properties: { confirmation: fieldFor(definition, place) },
      required: ['confirmation'],
    },
  };
}

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];

function fieldFor(definition: UserInputDefinition, place: string): Field {
  const title = 'Your answer';
  const choices = choicesOf(definition);
  if (choices !== null) return { type: 'string', title, description: place, enum: [...choices] };
  const { pattern = '' } = definition;
  return {
    type: 'string',
    title,
    description: `${place}. It has to match ${pattern} as a whole.`,
    minLength: 1,
    // Clients read patterns as ECMA-262; a pattern that only RE2 has is described in words, and checked when
    // the answer arrives.
    ...(isEcma(pattern) ? { pattern: `^(?:${pattern})$` } : {}),
  } as Field;
}

function isEcma(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/**
 * Milliseconds that a person needs at least to read a question. Clients that run without a person answer a form themselves
 * within a few milliseconds.
 */
const READING_MS = 1000;

/**
 * An outcome, given its duration: what came before a person could have read the question is neither their refusal nor their
 * answer. A model may answer immediately.
 */
export function asRead(
  outcome: ElicitationOutcome,
  { asked }: Pick<ClientQuestion, 'asked'>,
  tookMs: number,
): ElicitationOutcome {
  const isPersons = outcome.kind === 'declined' || (outcome.kind === 'answered' && asked !== 'sampling');
  return isPersons && tookMs < READING_MS ? { kind: 'unread' } : outcome;
}

/** The result of a form. Closing it declines: silence is not an answer. */
export function readElicitation(
  definition: UserInputDefinition,
  result: unknown,
  patterns: PatternTools,
): ElicitationOutcome {
  const { action, content } = (result ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'decline' || action === 'cancel') return { kind: 'declined' };
  return action === 'accept' ? readConfirmation(definition, content, patterns) : { kind: 'invalid' };
}

/** What a client's reply means for the question. */
export async function readReply(
  { asked, driver, challenge }: StepQuestion,
  reply: ClientReply,
): Promise<ElicitationOutcome> {
  if (reply.kind !== 'result') return { kind: reply.kind };
  const { result } = reply;
  const { user_input: userInput } = challenge;
  if (asked === 'sampling' || userInput === undefined) return readSampledOutput(result);
  const patterns = await loadAnswerPatterns(userInput.pattern);
  return driver === 'elicitation'
    ? readElicitation(userInput, result, patterns)
    : readSampledConfirmation(userInput, result, patterns);
}

type SecondOpinion = { kind: 'passed' } | { kind: 'refused' | 'unavailable'; reason: string };

/** Asks for the second opinion; not about an answer that the run will refuse anyway. */
export async function secondOpinion(
  verify: Verify | undefined,
  ask: StepQuestion,
  answer: unknown,
): Promise<SecondOpinion> {
  if (verify === undefined) return { kind: 'passed' };
  const { sampling, user_input: userInput } = ask.challenge;
  // A user's answer was already read strictly; a model's output is checked against its schema.
  if (sampling !== undefined && !(await isValidSample(sampling, answer))) return { kind: 'passed' };
  try {
    const verdict = await verify({
      kind: ask.asked,
      driver: ask.driver,
      system: sampling?.system ?? null,
      prompt: sampling?.prompt ?? userInput?.prompt ?? '',
      outputSchema: sampling?.output_schema ?? null,
      answer,
    });
    return verdict === null ? { kind: 'passed' } : { kind: 'refused', reason: verdict.refused };
  } catch (error) {
    return { kind: 'unavailable', reason: error instanceof Error ? error.message : String(error) };
  }
}

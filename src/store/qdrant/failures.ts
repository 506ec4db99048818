import { QdrantClientResourceExhaustedError, QdrantClientTimeoutError } from '@qdrant/js-client-rest';
import { KairosError } from '../../base/errors.ts';

/** The context of a failure: the store's place, the time limit of one try, and the redactor. */
interface RequestDescription {
  place: string;
  timeoutMs: number;
  redact(text: string): string;
}

/** The client's error for a rejected request; its class isn't exported. */
interface Refusal {
  status: number;
  headers: Headers;
  data: unknown;
}

/** Tried again: the server is busy, starting, or lost another node. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** No server listens there, or `fetch` blocks the port because it belongs to another protocol. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'bad port',
]);

const LOOK_AT_LOG = 'Check the server and its log, and try again.';

/** A response that can't come from Qdrant. */
export const INCOMPLETE_REPLY: Passing = {
  reason: 'gave an answer that is not whole, or not from Qdrant',
  hint: LOOK_AT_LOG,
};

/** What an error of the client means: a failure that may pass, or an error to be thrown. The client's own is not kept. */
export function requestFailure(error: unknown, telling: RequestDescription): Passing | KairosError {
  if (isRefusal(error)) return refusalOf(error, telling);
  if (error instanceof QdrantClientTimeoutError) {
    return {
      reason: `did not answer within ${telling.timeoutMs / 1000} s`,
      hint: 'Check the server and the network, and try again.',
    };
  }
  return busy(error) ?? networkFailure(error) ?? INCOMPLETE_REPLY;
}

/** Whether Qdrant itself answered that the thing to create exists. */
export function isConflict(error: unknown): boolean {
  return isRefusal(error) && error.status === 409 && faultOf(error.data) !== null;
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error && 'headers' in error && 'data' in error;
}

function refusalOf(
  { status, headers, data }: Refusal,
  { place, redact }: RequestDescription,
): Passing | KairosError {
  const fault = faultOf(data);
  const words = redact(fault ?? '');
  if (status === 401 || status === 403) {
    return qdrantUnavailable(
      place,
      `does not let kairos in (${status})`,
      'Set QDRANT_API_KEY to a key that may read and write.',
    );
  }
  if (status < 400) return INCOMPLETE_REPLY;
  if (PASSING_STATUSES.has(status)) {
    return {
      reason: words === '' ? `answered ${status}` : `answered ${status}: ${words}`,
      hint: LOOK_AT_LOG,
      waitMs: retryAfterMs(headers.get('retry-after') ?? undefined, Date.now()),
    };
  }
  if (fault === null) {
    return qdrantUnavailable(
      place,
      `answered ${status}, but not as Qdrant does`,
      'Check --store and QDRANT_URL.',
    );
  }
  return status === 404
    ? qdrantUnavailable(place, `has lost something: ${words}`, 'Check the server.')
    : refused(place, words);
}

/** The client keeps the first character of Retry-After on 429, and stumbles when that is not a digit. */
function busy(error: unknown): Passing | null {
  const failure = { reason: 'answered 429', hint: LOOK_AT_LOG };
  if (error instanceof QdrantClientResourceExhaustedError) {
    return { ...failure, waitMs: error.retry_after * 1000, waitIsCut: true };
  }
  return error instanceof Error && error.message.startsWith('Invalid retryAfter value') ? failure : null;
}

/** What `fetch` throws when there is no answer, or half of one. */
function networkFailure(error: unknown): Passing | null {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return null;
  const code = (error.cause as NodeJS.ErrnoException).code ?? error.cause.message;
  if (OUT_OF_REACH.has(code)) {
    return {
      reason: `cannot be reached (${code})`,
      hint: 'Start Qdrant, or check --store and QDRANT_URL.',
      refusedConnection: true,
    };
  }
  return { reason: `broke the connection off (${code})`, hint: 'Check the server, and try again.' };
}

/** Qdrant's own error text: `{status: {error}}`. */
function faultOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const { status } = data as { status?: { error?: unknown } | null };
  return typeof status?.error === 'string' ? status.error : null;
}

/** A server that cannot be asked now, or not by kairos, with the remedy. */
export function qdrantUnavailable(place: string, reason: string, hint: string): KairosError {
  return new KairosError('STORE_UNAVAILABLE', `the store ${place} ${reason}`, { hint });
}

/** A request that the server did not understand. */
function refused(place: string, reason: string): KairosError {
  return new KairosError('INTERNAL', `the store ${place} refused a request: ${reason}`, {
    hint: 'This is a fault of kairos, or the collection was changed by another program.',
  });
}

/** A write through a store that was opened for reading. */
export function readOnlyQdrant(place: string): KairosError {
  return new KairosError('READ_ONLY', `the store ${place} was opened for reading only`, {
    hint: 'Leave out --read-only, or choose another store with --store.',
  });
}

/** Too many writers wrote the same point together. */
export function contended(place: string): KairosError {
  return qdrantUnavailable(
    place,
    'is changed by others all the time: nothing was written',
    'Wait a moment and try again.',
  );
}

/** How often and how long a request is tried again. Milliseconds. */
export interface RetryPolicy {
  /** Tries in all. */
  attempts: number;
  /** All tries for a server that accepts no connection. */
  connectAttempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
  /** No try begins later than this after the first. */
  withinMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  connectAttempts: 4,
  firstDelayMs: 100,
  longestDelayMs: 5_000,
  withinMs: 30_000,
};

/** A failure that may not occur again. Every request that is sent may safely be sent twice. */
interface Passing {
  /** The message and hint for a permanent failure. */
  reason: string;
  hint: string;
  /** No server listens there. */
  refusedConnection?: boolean;
  /** What the server asked to wait, in milliseconds. */
  waitMs?: number | null;
  /** That is the first digit of what it asked, so the least that it may have been. */
  waitIsCut?: boolean;
}

/**
 * How long to wait before try number `tries` + 1, or null to give up: exponential with full jitter (M. Brooker,
 * "Exponential Backoff And Jitter", 2015), and never shorter than the server asked. Where only the least is known
 * of what it asked, that is doubled with each try.
 */
export function delayBefore(
  failure: Passing,
  tries: number,
  elapsedMs: number,
  policy: RetryPolicy,
  random: () => number,
): number | null {
  const most = failure.refusedConnection ? policy.connectAttempts : policy.attempts;
  if (tries >= most) return null;
  const longest = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (tries - 1));
  const asked = (failure.waitMs ?? 0) * (failure.waitIsCut ? 2 ** (tries - 1) : 1);
  const delay = Math.max(asked, random() * longest);
  return elapsedMs + delay > policy.withinMs ? null : delay;
}

/** Milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds or a date. Null for anything else. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

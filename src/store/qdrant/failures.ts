import { QdrantClientResourceExhaustedError, QdrantClientTimeoutError } from '@qdrant/js-client-rest';
import type { KairosError } from '../../base/errors.ts';
import { refused, unavailable } from './errors.ts';
import { type Passing, retryAfterMs } from './retry.ts';

/** The context of a failure: the store's place, the time limit of one try, and the redactor. */
export interface Telling {
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

/** An answer that Qdrant would not give. */
export const NOT_WHOLE: Passing = {
  reason: 'gave an answer that is not whole, or not from Qdrant',
  hint: LOOK_AT_LOG,
};

/** What an error of the client means: a failure that may pass, or an error to be thrown. The client's own is not kept. */
export function failureOf(error: unknown, telling: Telling): Passing | KairosError {
  if (isRefusal(error)) return refusalOf(error, telling);
  if (error instanceof QdrantClientTimeoutError) {
    return {
      reason: `did not answer within ${telling.timeoutMs / 1000} s`,
      hint: 'Check the server and the network, and try again.',
    };
  }
  return busy(error) ?? networkFailure(error) ?? NOT_WHOLE;
}

/** Whether Qdrant itself answered with this status. */
export function answered(error: unknown, status: number): boolean {
  return isRefusal(error) && error.status === status && faultOf(error.data) !== null;
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error && 'headers' in error && 'data' in error;
}

function refusalOf({ status, headers, data }: Refusal, { place, redact }: Telling): Passing | KairosError {
  const fault = faultOf(data);
  const words = redact(fault ?? '');
  if (status === 401 || status === 403) {
    return unavailable(
      place,
      `does not let us in (${status})`,
      'Set QDRANT_API_KEY to a key that may read and write.',
    );
  }
  if (status < 400) return NOT_WHOLE;
  if (PASSING_STATUSES.has(status)) {
    return {
      reason: words === '' ? `answered ${status}` : `answered ${status}: ${words}`,
      hint: LOOK_AT_LOG,
      waitMs: retryAfterMs(headers.get('retry-after') ?? undefined, Date.now()),
    };
  }
  if (fault === null) {
    return unavailable(place, `answered ${status}, but not as Qdrant does`, 'Check --store and QDRANT_URL.');
  }
  return status === 404
    ? unavailable(place, `has lost something: ${words}`, 'Check the server.')
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

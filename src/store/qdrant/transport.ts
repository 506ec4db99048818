import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { refused, unavailable } from './errors.ts';
import { type Location, showLocation } from './location.ts';
import { delayBefore, type Passing, RETRY_POLICY, type RetryPolicy, retryAfterMs } from './retry.ts';

export interface TransportOptions {
  apiKey?: string | undefined;
  /** For one try, from the connection to the last byte. */
  timeoutMs?: number;
  retry?: RetryPolicy;
}

export interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With a slash before it. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Statuses that answer null instead of an error. */
  orNull?: readonly number[];
}

/** Speaks with one server. Every call may be sent more than once. */
export interface Transport {
  place: string;
  /** The `result` of the answer. Throws STORE_UNAVAILABLE, or INTERNAL for a request that was not understood. */
  call<T>(call: Call): Promise<T | null>;
  /** The whole answer of an endpoint that has no `result`. */
  raw(call: Call): Promise<unknown>;
  close(): void;
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

const TIMEOUT_MS = 10_000;
/** Tried again: the server is busy, starting, or lost another node. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export function openTransport(location: Location, options: TransportOptions = {}): Transport {
  const place = showLocation(location);
  const agent = new (location.tls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 16 });
  const retry = options.retry ?? RETRY_POLICY;
  const redact = (text: string) => (options.apiKey ? text.replaceAll(options.apiKey, '***') : text);

  async function raw(call: Call): Promise<unknown> {
    const begun = performance.now();
    for (let tries = 1; ; tries += 1) {
      const outcome = judge(await attempt(location, agent, call, options), call, place, redact);
      if ('value' in outcome) return outcome.value;
      const wait = delayBefore(outcome, tries, performance.now() - begun, retry, Math.random);
      if (wait === null) throw unavailable(place, redact(outcome.reason), outcome.hint);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
  return {
    place,
    raw,
    async call<T>(call: Call) {
      const answer = (await raw(call)) as { result?: T } | null;
      return answer === null ? null : (answer.result as T);
    },
    close: () => agent.destroy(),
  };
}

/** One try: the answer, or what kept it away. */
function attempt(
  { tls, host, port, prefix }: Location,
  agent: HttpAgent,
  { method, path, query = {}, body }: Call,
  { apiKey, timeoutMs = TIMEOUT_MS }: TransportOptions,
): Promise<Answer | Passing> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const search = new URLSearchParams(query).toString();
  return new Promise((settle) => {
    const request = (tls ? httpsRequest : httpRequest)({
      host,
      port,
      method,
      path: `${prefix}${path}${search === '' ? '' : `?${search}`}`,
      agent,
      headers: {
        accept: 'application/json',
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
      },
    });
    const timer = setTimeout(() => {
      settle({
        reason: `did not answer within ${timeoutMs / 1000} s`,
        hint: 'Check the server and the network, and try again.',
      });
      request.destroy();
    }, timeoutMs);
    const end = (outcome: Answer | Passing) => {
      clearTimeout(timer);
      settle(outcome);
    };
    request.on('error', (error) => end(networkFailure(error)));
    request.on('response', (response) => {
      read(response).then(end, (error) => end(networkFailure(error as Error)));
    });
    request.end(text);
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

function networkFailure(error: NodeJS.ErrnoException): Passing {
  const code = error.code ?? error.message;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' || code === 'EAI_AGAIN') {
    return {
      reason: `cannot be reached (${code})`,
      hint: 'Start Qdrant, or check --store and QDRANT_URL.',
      refusedConnection: true,
    };
  }
  return { reason: `broke the connection off (${code})`, hint: 'Check the server, and try again.' };
}

/** What an answer means: a value, a failure that may pass, or an error that is thrown. */
function judge(
  answer: Answer | Passing,
  { orNull = [] }: Call,
  place: string,
  redact: (text: string) => string,
): { value: unknown } | Passing {
  if ('reason' in answer) return answer;
  const { status, retryAfter, text } = answer;
  const body = parse(text);
  const words = redact(faultOf(body) ?? '');
  if (status >= 200 && status < 300 && body !== null) return { value: body };
  if (status === 401 || status === 403) {
    throw unavailable(
      place,
      `does not let us in (${status})`,
      'Set QDRANT_API_KEY to a key that may read and write.',
    );
  }
  if (PASSING_STATUSES.has(status) || status < 400) {
    const reason =
      status < 400 ? 'gave an answer that is not whole, or not from Qdrant' : `answered ${status}`;
    return {
      reason: words === '' ? reason : `${reason}: ${words}`,
      hint: 'Check the server and its log, and try again.',
      waitMs: retryAfterMs(retryAfter, Date.now()),
    };
  }
  if (faultOf(body) === null) {
    throw unavailable(place, `answered ${status}, but not as Qdrant does`, 'Check --store and QDRANT_URL.');
  }
  if (orNull.includes(status)) return { value: null };
  throw status === 404
    ? unavailable(place, `has lost something: ${words}`, 'Check the server.')
    : refused(place, words);
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** What Qdrant says went wrong: `{status: {error}}`. */
function faultOf(body: object | null): string | null {
  const { status } = (body ?? {}) as { status?: { error?: unknown } };
  return typeof status?.error === 'string' ? status.error : null;
}

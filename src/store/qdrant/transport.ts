import { QdrantClient } from '@qdrant/js-client-rest';
import { KairosError } from '../../base/errors.ts';
import {
  delayBefore,
  INCOMPLETE_REPLY,
  qdrantUnavailable,
  RETRY_POLICY,
  type RetryPolicy,
  requestFailure,
} from './failures.ts';
import { hostInUrl, type Location, showLocation } from './location.ts';

export interface TransportOptions {
  apiKey?: string | undefined;
  /** For one try, from the connection to the last byte. */
  timeoutMs?: number;
  retry?: RetryPolicy;
}

/** Talks to one server, or the nodes of one cluster, through Qdrant's own client. */
export interface Transport {
  place: string;
  /**
   * Returns the response of a request, which must be repeatable. Throws STORE_UNAVAILABLE, or INTERNAL for a
   * request that was not understood; the client's errors are not passed on, because they may contain the key.
   */
  ask<T>(request: (client: QdrantClient) => Promise<T>): Promise<NonNullable<T>>;
}

const TIMEOUT_MS = 10_000;

/** Connects on the first request; idle connections end by themselves and keep no process alive. */
export function openTransport(location: Location, options: TransportOptions = {}): Transport {
  const { apiKey, timeoutMs = TIMEOUT_MS, retry = RETRY_POLICY } = options;
  const place = showLocation(location);
  const redact = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text);
  const clients = location.nodes.map((node) => connect(location, node, apiKey, timeoutMs));
  /** Counts changes of the node. The node that answered last is asked next. */
  let turn = 0;

  return {
    place,
    async ask(request) {
      const begun = performance.now();
      for (let tries = 1; ; tries += 1) {
        const asked = turn;
        const outcome = await attempt(() => request(clients[asked % clients.length]!));
        if ('answer' in outcome) return outcome.answer;
        const failure =
          outcome.error === null
            ? INCOMPLETE_REPLY
            : requestFailure(outcome.error, { place, timeoutMs, redact });
        if (failure instanceof KairosError) throw failure;
        // Calls that fail at the same time change the node once.
        if (turn === asked) turn += 1;
        if (tries % clients.length !== 0) continue;
        const rounds = tries / clients.length;
        const wait = delayBefore(failure, rounds, performance.now() - begun, retry, Math.random);
        if (wait === null) throw qdrantUnavailable(place, redact(failure.reason), failure.hint);
        await new Promise((done) => setTimeout(done, wait));
      }
    },
  };
}

function connect(
  { tls, prefix }: Location,
  { host, port }: Location['nodes'][number],
  apiKey: string | undefined,
  timeout: number,
): QdrantClient {
  return new QdrantClient({
    host: hostInUrl(host),
    port,
    https: tls,
    prefix,
    timeout,
    maxConnections: 16,
    // It would only warn, on the console; we look ourselves, and refuse.
    checkCompatibility: false,
    // As `apiKey` the client would print a warning even for this machine; kairos warns itself.
    headers: { 'api-key': apiKey },
  });
}

/** One try. Error null: an answer came, but none that Qdrant gives; the client passes on a text that is not JSON. */
async function attempt<T>(
  request: () => Promise<T>,
): Promise<{ answer: NonNullable<T> } | { error: unknown }> {
  try {
    const answer = await request();
    return answer === null || answer === undefined || typeof answer === 'string'
      ? { error: null }
      : { answer };
  } catch (error) {
    return { error };
  }
}

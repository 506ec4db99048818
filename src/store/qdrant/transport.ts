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
    // The client would only warn, on the console; kairos looks itself, and refuses.
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

/** Where a Qdrant store is, and how to create a missing collection. */
export interface Location {
  tls: boolean;
  /** Nodes of one cluster, at least one. */
  nodes: { host: string; port: number }[];
  /** The path before `/collections` behind a proxy: empty, or `/` and a path without a trailing slash. */
  prefix: string;
  /** Name that readers and writers use; an alias of the collection itself. */
  alias: string;
  /** How many copies of each shard a cluster keeps. */
  replicas: number;
  /** Null: as many as the cluster has nodes. */
  shards: number | null;
}

const DEFAULT_PORT = 6333;
const DEFAULT_ALIAS = 'kairos';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Reads `qdrant://HOST:PORT/COLLECTION`, `qdrant+https://…`, or `qdrant:` before an http or https URL; the
 * path may begin with a proxy's path. Several nodes of a cluster are separated by commas. `?replicas=2&shards=6`
 * configure a new collection. Throws INVALID_INPUT, and never prints a secret in the address.
 */
export function parseLocation(location: string): Location {
  const address = location.replace(/^(?:qdrant:)(?=[a-z+]+:)/i, '');
  const [, scheme, authority = '', rest = ''] =
    /^(?:qdrant\+)?(https?|qdrant):\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  if (authority.includes('@')) throw invalid('contains a name or a password');
  const nodes = authority.split(',');
  const urls = nodes.map((node) => `http://${node}${rest}`);
  if (scheme === undefined || nodes.includes('') || !urls.every((url) => URL.canParse(url))) {
    throw invalid('is not an address of a Qdrant store');
  }
  const url = new URL(urls[0] ?? '');
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const alias = parts.pop() ?? DEFAULT_ALIAS;
  if (!NAME.test(alias)) throw invalid(`cannot name its collection ${JSON.stringify(alias)}`);
  const { replicas, shards, ...unknown } = Object.fromEntries(url.searchParams);
  if (Object.keys(unknown).length > 0 || url.hash !== '') {
    throw invalid('may only have ?replicas=N and ?shards=N after the collection');
  }
  return {
    tls: scheme.toLowerCase() === 'https',
    nodes: nodes.map((node) => ({
      host: new URL(`http://${node}`).hostname.replace(/^\[(.*)\]$/, '$1'),
      // From the text: a URL drops its scheme's default port, which differs from Qdrant's.
      port: Number(/:(\d+)$/.exec(node)?.[1] ?? DEFAULT_PORT),
    })),
    prefix: parts.map((part) => `/${part}`).join(''),
    alias,
    replicas: count(replicas, 'replicas') ?? 1,
    shards: count(shards, 'shards'),
  };
}

/** What may be shown of a location: no secret is in it. */
export function showLocation({ tls, nodes, prefix, alias }: Location): string {
  const addresses = nodes.map(({ host, port }) => `${hostInUrl(host)}:${port}`).join(',');
  return `qdrant${tls ? '+https' : ''}://${addresses}${prefix}/${alias}`;
}

/** A host as a URL has it: IPv6 in brackets. */
function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function count(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw invalid(`must give ${name} as a number from 1 to 999`);
}

function invalid(fault: string): KairosError {
  return new KairosError('INVALID_INPUT', `the address of the Qdrant store ${fault}`, {
    hint: 'Use qdrant://HOST:PORT/COLLECTION, or qdrant+https:// for TLS. Separate several hosts by commas. Set QDRANT_API_KEY to the API key.',
  });
}

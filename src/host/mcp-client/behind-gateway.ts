import { setTimeout as delay } from 'node:timers/promises';
import { isObject, jsonOf } from '../../base/json.ts';
import { within } from '../system.ts';
import type { BehindGateway, LostRequest, Work } from './server-process.ts';

/** How long open requests may still be answered after the client has left, in milliseconds. */
const GRACE_MS = 2000;

interface HttpMessage {
  id?: unknown;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
  error?: { message?: unknown };
}

/** A pause before a stream is opened again, in milliseconds, where the server names none. */
const RETRY_MS = 1000;
/** Streams in a row that end without a message. */
const MAX_SILENT_STREAMS = 5;

/** Reaches a server over Streamable HTTP, in both eras: with a session, or with everything that a request needs in its headers. */
export function urlBehind(url: string, given: Readonly<Record<string, string>>): BehindGateway {
  const stop = new AbortController();
  const open = new Map<string, AbortController>();
  const posts = new Set<Promise<void>>();
  const state: { session: string | null; version: string | null } = { session: null, version: null };
  let onLine: (line: Buffer) => Work = () => undefined;
  let onLost: (lost: LostRequest) => Work = () => undefined;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const headersOf = ({ method, params }: HttpMessage): Record<string, string> => {
    const [, version = state.version] =
      Object.entries(params?._meta ?? {}).find(([key]) => key.endsWith('/protocolVersion')) ?? [];
    const isModern = version !== state.version;
    const name = params?.name ?? params?.uri;
    return {
      accept: 'application/json, text/event-stream',
      ...given,
      ...(state.session === null ? {} : { 'mcp-session-id': state.session }),
      ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
      ...(isModern && method !== undefined ? { 'mcp-method': method } : {}),
      ...(isModern && typeof name === 'string' ? { 'mcp-name': name } : {}),
    };
  };
  const request = (message: HttpMessage, init: RequestInit): Promise<Response> =>
    fetch(url, { signal: stop.signal, ...init, headers: { ...headersOf(message), ...init.headers } });

  /** Passes on the messages of a response, and removes the ids that they answer. */
  const handOn = async (response: Response, ids: Set<string>, place: StreamPlace): Promise<void> => {
    for await (const text of messagesIn(response, place)) {
      const message = jsonOf(text);
      const messages = [message].flat().filter(isMessage);
      for (const { id, method, result } of messages) {
        if (typeof result?.protocolVersion === 'string') state.version = result.protocolVersion;
        if (method === undefined) ids.delete(JSON.stringify(id));
      }
      const [{ id = null, error } = {} as HttpMessage] = messages;
      // An error without an id is about this request.
      if (error !== undefined && id === null) await lose(ids, `${error.message}${remedyOf(response)}`);
      else if (messages.length > 0) await onLine(Buffer.from(`${text.trim().replace(/[\r\n]+/g, ' ')}\n`));
    }
  };

  const lose = async (ids: Set<string>, reason: string): Promise<void> => {
    for (const id of ids) await onLost({ id: JSON.parse(id), reason: `${url}: ${reason}` });
    ids.clear();
  };

  const exchange = async (line: Buffer, message: unknown, ids: Set<string>): Promise<void> => {
    const single = (isObject(message) ? message : {}) as HttpMessage;
    const cancel = new AbortController();
    for (const id of ids) open.set(id, cancel);
    const asked = [...ids];
    const signal = AbortSignal.any([stop.signal, cancel.signal]);
    const place: StreamPlace = { last: null, retry: RETRY_MS };
    try {
      const headers = { 'content-type': 'application/json' };
      const init: RequestInit = { method: 'POST', body: new Uint8Array(line), headers, signal };
      const response = await request(single, init);
      state.session ??= response.headers.get('mcp-session-id');
      let failure = `HTTP ${response.status} ${response.statusText}`.trim();
      failure += response.ok ? ' without an answer' : remedyOf(response);
      let stream: Response = response;
      // A server may end a stream and continue in another one.
      for (let silent = 0; silent < MAX_SILENT_STREAMS; silent += 1) {
        const { last } = place;
        await handOn(stream, ids, place).catch((error: Error) => {
          failure = reasonOf(error);
        });
        if (ids.size === 0 || place.last === null || signal.aborted) break;
        if (place.last !== last) silent = 0;
        await delay(place.retry, undefined, { signal });
        stream = await request(single, { headers: { 'last-event-id': place.last }, signal });
        if (!stream.ok) break;
      }
      throw new Error(failure);
    } catch (error) {
      if (!cancel.signal.aborted)
        await lose(ids, stop.signal.aborted ? 'the gateway ends' : reasonOf(error as Error));
    } finally {
      for (const id of asked) open.delete(id);
    }
  };

  /** What the server sends without being asked, where it has a stream for it. */
  const listen = async (): Promise<void> => {
    const place: StreamPlace = { last: null, retry: RETRY_MS };
    for (;;) {
      try {
        const headers: Record<string, string> = place.last === null ? {} : { 'last-event-id': place.last };
        const response = await request({}, { headers });
        if (!response.ok || !isStream(response)) return;
        await handOn(response, new Set(), place);
      } catch {
        // Its connection was lost.
      }
      if (stop.signal.aborted) return;
      await delay(place.retry, undefined, { ref: false });
    }
  };

  return {
    send(line) {
      const message = jsonOf(line.toString('utf8'));
      if (message === undefined) return;
      const messages = [message].flat().filter(isObject) as HttpMessage[];
      const requests = messages.filter(({ id, method }) => id !== undefined && method !== undefined);
      const ids = new Set(requests.map(({ id }) => JSON.stringify(id)));
      const post = exchange(line, message, ids).finally(() => posts.delete(post));
      posts.add(post);
      // Without sessions a request is cancelled by the end of its connection.
      for (const { method, params } of messages)
        if (method === 'notifications/cancelled' && state.session === null)
          open.get(JSON.stringify(params?.requestId))?.abort();
      if (!messages.some(({ method }) => method === 'notifications/initialized')) return;
      // Before it has this one, a server with a session answers no request.
      void post.then(listen);
      return within(post, GRACE_MS).then(() => undefined);
    },
    receive(onMessage, onUnanswered) {
      onLine = onMessage;
      onLost = onUnanswered;
      return ended;
    },
    async close(now = false) {
      if (!now) await within(Promise.all(posts), GRACE_MS);
      if (state.session !== null) {
        const signal = AbortSignal.timeout(GRACE_MS);
        await request({}, { method: 'DELETE', signal }).catch(() => undefined);
      }
      stop.abort();
      await Promise.all(posts);
      end();
    },
  };
}

function remedyOf({ status }: Response): string {
  if (status === 401 || status === 403) return ': write a valid header into KAIROS_GATEWAY_HEADERS';
  return status === 404
    ? ': no such server, or its session has ended. Start the server again in the client'
    : '';
}

/** `fetch` only has "fetch failed" where the connection failed. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error
    ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`
    : message;
}

const isMessage = (value: unknown): value is HttpMessage => isObject(value) && 'jsonrpc' in value;
const isStream = ({ headers }: Response) => /event-stream/.test(headers.get('content-type') ?? '');

/** Where a stream of events can be continued. */
interface StreamPlace {
  last: string | null;
  retry: number;
}

/** The texts in a response: its JSON, or the data of each event. Other content is skipped. */
async function* messagesIn(response: Response, place: StreamPlace): AsyncGenerator<string> {
  if (!isStream(response)) {
    const text = await response.text();
    if (/json/.test(response.headers.get('content-type') ?? '')) yield text;
    return;
  }
  for await (const event of eventsIn(response)) {
    const fields = event.map((line) => /^([^:]+)(?:: ?([\s\S]*))?$/.exec(line)?.slice(1) ?? []);
    const field = (name: string) => fields.findLast(([key]) => key === name)?.[1];
    place.last = field('id') ?? place.last;
    const retry = Number(field('retry') ?? Number.NaN);
    if (Number.isInteger(retry)) place.retry = Math.min(retry, 60_000);
    const data = fields.flatMap(([key, value = '']) => (key === 'data' ? [value] : [])).join('\n');
    if (data !== '' && (field('event') ?? 'message') === 'message') yield data;
  }
}

/** The events of a stream, each as its lines. One at the end counts without an empty line behind it. */
async function* eventsIn({ body }: Response): AsyncGenerator<string[]> {
  const lines: string[] = [];
  let pieces: string[] = [];
  for await (const text of body!.pipeThrough(new TextDecoderStream())) {
    const parts = text.split('\n');
    for (const part of parts.slice(0, -1)) {
      const line = [...pieces, part].join('').replace(/\r$/, '');
      pieces = [];
      if (line !== '') lines.push(line);
      else if (lines.length > 0) yield lines.splice(0);
    }
    pieces.push(parts.at(-1)!);
  }
  lines.push(...[pieces.join('')].filter((line) => line !== ''));
  if (lines.length > 0) yield lines;
}

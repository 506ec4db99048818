import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { KairosError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json.ts';
import { eachLine } from './server-process.ts';

/** The server behind the gateway: messages as lines, in both directions. */
export interface BehindGateway {
  send(line: string): void;
  /** Called once, before anything is sent. */
  receive(onLine: (line: string) => void): void;
  /** Ends it. */
  close(): void;
  /** Resolves when it will send nothing more. */
  ended: Promise<void>;
}

/** Longer than any string can be: nothing is cut. */
const NO_LIMIT = 2 ** 30;

export function readLinesOf(stream: Readable, onLine: (line: string) => void): void {
  eachLine(stream, () => undefined, onLine, NO_LIMIT);
}

interface ProgramOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** How long a server may still run after its input has ended, in milliseconds. */
const GRACE_MS = 2000;

/** Starts a server that uses standard input and output. Throws INVALID_INPUT if it can't be started. */
export async function programBehind(
  command: readonly string[],
  { env, cwd }: ProgramOptions,
): Promise<BehindGateway> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new KairosError('INVALID_INPUT', `${program} cannot be started: ${(cause as Error).message}`, {
      hint: 'Write the command of the MCP server after --.',
      cause,
    });
  }
  child.stdin.on('error', () => undefined);
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    receive: (onLine) => readLinesOf(child.stdout, onLine),
    close() {
      child.stdin.end();
      setTimeout(() => child.kill('SIGTERM'), GRACE_MS).unref();
      setTimeout(() => child.kill('SIGKILL'), 2 * GRACE_MS).unref();
    },
    ended: exited,
  };
}

interface HttpMessage {
  id?: unknown;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
}

/** Reaches a server over Streamable HTTP, in both eras: with a session, or with everything that a request needs in its headers. */
export function urlBehind(url: string, given: Readonly<Record<string, string>>): BehindGateway {
  const stop = new AbortController();
  const open = new Map<string, AbortController>();
  const state: { session: string | null; version: string | null } = { session: null, version: null };
  let receive: (line: string) => void = () => undefined;
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
  const answer = (line: string) => {
    const { result } = (jsonOf(line) ?? {}) as { result?: { protocolVersion?: unknown } };
    if (typeof result?.protocolVersion === 'string') state.version = result.protocolVersion;
    receive(line);
  };
  const post = async (line: string) => {
    const message = (jsonOf(line) ?? {}) as HttpMessage;
    const { id, method, params } = message;
    const cancel = new AbortController();
    if (id !== undefined && method !== undefined) open.set(JSON.stringify(id), cancel);
    try {
      const headers = { ...headersOf(message), 'content-type': 'application/json' };
      const signal = AbortSignal.any([stop.signal, cancel.signal]);
      const response = await fetch(url, { method: 'POST', headers, body: line, signal });
      state.session ??= response.headers.get('mcp-session-id');
      const isAnswered = await readBody(response, answer);
      if (!response.ok && !isAnswered && id !== undefined) throw new Error(`HTTP ${response.status}`);
      if (method === 'notifications/initialized') void listen();
    } catch (error) {
      if (id !== undefined && method !== undefined && !cancel.signal.aborted && !stop.signal.aborted)
        receive(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            error: { code: -32000, message: `${url}: ${(error as Error).message}` },
          }),
        );
    } finally {
      open.delete(JSON.stringify(id));
    }
    // Without sessions a request is cancelled by the end of its connection.
    if (method === 'notifications/cancelled' && state.session === null)
      open.get(JSON.stringify(params?.requestId))?.abort();
  };
  /** What the server sends without being asked, where it has a stream for it. */
  const listen = async () => {
    try {
      for (let goesOn = true; goesOn && !stop.signal.aborted; ) {
        const response = await fetch(url, { headers: headersOf({}), signal: stop.signal });
        goesOn = response.ok && /event-stream/.test(response.headers.get('content-type') ?? '');
        await readBody(response, answer);
      }
    } catch {
      // It has no such stream, or has ended.
    }
  };
  return {
    send: (line) => void post(line),
    receive(onLine) {
      receive = onLine;
    },
    close() {
      const { session } = state;
      const bye =
        session === null ? Promise.resolve() : fetch(url, { method: 'DELETE', headers: headersOf({}) });
      void Promise.resolve(bye)
        .catch(() => undefined)
        .then(() => stop.abort())
        .then(end);
    },
    ended,
  };
}

/** Hands on each message of a response: one JSON value, a batch, or a stream of events. False for a response without one. */
async function readBody(response: Response, onMessage: (line: string) => void): Promise<boolean> {
  const type = response.headers.get('content-type') ?? '';
  if (!/event-stream/.test(type)) {
    const value = /json/.test(type) ? jsonOf(await response.text()) : null;
    const messages = [value]
      .flat()
      .filter((each) => typeof each === 'object' && each !== null && 'jsonrpc' in each);
    for (const each of messages) onMessage(JSON.stringify(each));
    return messages.length > 0;
  }
  let found = false;
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split(/\r?\n\r?\n/);
    rest = events.pop()!;
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).replace(/^ /, ''));
      if (data.length === 0 || data.every((line) => line === '')) continue;
      found = true;
      onMessage(data.join(''));
    }
  }
  return found;
}

import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.ts';
import { OpenRequests } from './open-requests.ts';
import {
  BATCHING,
  type JsonRpcError,
  readBatch,
  readMessage,
  refuseId,
  refuseLength,
} from './read-message.ts';
import type { ServerServices } from './services.ts';

/** How long calls may still be answered after the input has ended, in milliseconds. */
const LAST_ANSWERS_MS = 1000;

/**
 * Serves one client over standard input and output, in the protocol era that it opens with. Resolves when the
 * input ends, the output breaks, or `stop` is aborted. Only protocol messages are written to standard output.
 */
export async function serveOverStdio(
  services: ServerServices,
  { stdin, stdout, stop }: { stdin: Readable; stdout: Writable; stop: AbortSignal },
): Promise<void> {
  const { log, activity } = services;
  const session = randomUUID();
  const transport = new LineTransport(stdin, stdout, {
    refused: ({ error }) => log.warn('message refused', { code: error.code, reason: error.message }),
    settled: () => activity.idle(LAST_ANSWERS_MS),
  });
  const handle = serveStdio(
    ({ era }) => {
      log.info('connection opened', { transport: 'stdio', era, session });
      return createServer(services, { actor: services.ctx.caller.actor, session, modern: era === 'modern' });
    },
    { transport, onerror: (error) => log.warn('protocol error', { error: error.message }) },
  );
  const ended = new Promise<void>((resolve) => {
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      resolve();
    };
  });
  const close = () => void handle.close();
  stop.addEventListener('abort', close);
  if (stop.aborted) close();
  await ended;
  stop.removeEventListener('abort', close);
  await lastWords(stdout);
  log.info('connection closed', { transport: 'stdio', session });
}

/** What was written already is waited for, but not for a client that no longer reads: it would keep the process alive. */
async function lastWords(stdout: Writable): Promise<void> {
  if (stdout.writableLength === 0) return;
  const written = new Promise<void>((resolve) => stdout.write('', () => resolve()));
  await Promise.race([written, delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
  if (stdout.writableLength === 0) return;
  stdout.destroy(Object.assign(new Error('the output has no reader'), { code: 'EPIPE' }));
  // Then the waiting caller has been informed.
  await delay(0);
}

/** The time in which a message that was read becomes a call that is tracked. */
const PICKED_UP_MS = 20;
/** A larger message is refused unread: documents are at most 1 MiB. */
const MAX_MESSAGE_BYTES = 10 << 20;

/** The events and requests of the transport. */
interface LineOptions {
  /** Called with a line that wasn't a message, and the response to it. */
  refused: (refusal: JsonRpcError) => void;
  /** Resolves when what was asked has been answered. */
  settled: () => Promise<unknown>;
}

/**
 * Messages as lines (MCP's stdio transport), each parsed once. Invalid messages are rejected here, because
 * later no reader would answer them. The end of the input closes the connection only after all earlier
 * requests are answered, so that `printf … | kairos serve` works; a broken output closes it immediately.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #options: LineOptions;
  readonly #requests = new OpenRequests();
  readonly #batches = new Set<Batch>();
  /** The client opened with the revision that has batches, which the server has too. */
  #hasBatches = false;
  #ended = false;
  #closed = false;

  constructor(stdin: Readable, stdout: Writable, options: LineOptions) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#options = options;
  }

  async start(): Promise<void> {
    const reader = lineReader(MAX_MESSAGE_BYTES, {
      onLine: (line) => this.#take(line.toString().trim()),
      onTooLong: () => this.#refuse(refuseLength(MAX_MESSAGE_BYTES).refusal),
    });
    const end = () => {
      if (this.#ended || this.#closed) return;
      this.#ended = true;
      reader.end();
      void delay(PICKED_UP_MS)
        .then(this.#options.settled)
        .then(() => this.close());
    };
    this.#stdin.on('data', (chunk: Buffer) => reader.push(chunk));
    for (const event of ['end', 'close', 'error']) this.#stdin.on(event, end);
    this.#stdout.on('error', (error) => {
      if (!this.#closed) this.onerror?.(error);
      void this.close();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the connection is closed'));
    this.#requests.answered(message);
    const id = 'method' in message ? undefined : idOf(message);
    const batch = id === undefined ? undefined : this.#batchOf(id);
    if (batch === undefined) return this.#write(message);
    batch.replies.push(message);
    return this.#settle(batch, id);
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  #batchOf(id: unknown): Batch | undefined {
    return [...this.#batches].find(({ open }) => open.has(id));
  }

  /** The request of a batch needs no other reply. The replies are written together, when all are there. */
  #settle(batch: Batch, id: unknown): Promise<void> {
    batch.open.delete(id);
    if (batch.open.size > 0) return Promise.resolve();
    this.#batches.delete(batch);
    return batch.replies.length > 0 ? this.#write(batch.replies) : Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stdin.destroy();
    this.onclose?.();
  }

  #take(line: string): void {
    if (line === '' || this.#closed) return;
    if (line.startsWith('[') && this.#hasBatches) {
      this.#takeBatch(line);
      return;
    }
    const read = readMessage(line);
    if ('refusal' in read) this.#refuse(read.refusal);
    else if (this.#requests.admit(read.message)) this.#deliver(read.message);
    else this.#refuse(refuseId().refusal);
  }

  #takeBatch(line: string): void {
    const parts = readBatch(line);
    if ('refusal' in parts) {
      this.#refuse(parts.refusal);
      return;
    }
    const messages = parts.flatMap((part) => ('message' in part ? [part.message] : []));
    if (!this.#requests.admit(messages)) {
      this.#refuse(refuseId().refusal);
      return;
    }
    const replies = parts.flatMap((part) => ('refusal' in part ? [part.refusal] : []));
    for (const refusal of replies) this.#options.refused(refusal);
    const requests = messages.filter((message) => 'method' in message).map(idOf);
    const batch: Batch = { open: new Set(requests.filter((id) => id !== undefined)), replies };
    this.#batches.add(batch);
    for (const message of messages) this.#deliver(message);
    if (batch.open.size === 0 && this.#batches.has(batch)) void this.#settle(batch, undefined);
  }

  #deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message);
    if (!('method' in message)) return;
    const { protocolVersion, requestId } = (message.params ?? {}) as Record<string, unknown>;
    if (message.method === 'initialize') this.#hasBatches = protocolVersion === BATCHING;
    // A cancelled request gets no reply.
    if (message.method !== 'notifications/cancelled') return;
    const batch = this.#batchOf(requestId);
    if (batch !== undefined) void this.#settle(batch, requestId);
  }

  #refuse(refusal: JsonRpcError): void {
    this.#options.refused(refusal);
    this.#stdout.write(`${JSON.stringify(refusal)}\n`);
  }
}

/** The requests of a batch without a reply, and the replies to the others. */
interface Batch {
  open: Set<unknown>;
  replies: object[];
}

const idOf = (message: JSONRPCMessage) => ('id' in message ? message.id : undefined);

const NEWLINE = 0x0a;

/**
 * Splits bytes that arrive in pieces into lines, without their ends. A line of more than `most` bytes is
 * dropped and reported once. `end` returns the text after the last newline.
 */
export function lineReader(
  most: number,
  { onLine, onTooLong }: { onLine: (line: Buffer) => void; onTooLong: () => void },
): { push(chunk: Buffer): void; end(): void } {
  let held: Buffer[] = [];
  let length = 0;

  const take = (piece: Buffer) => {
    length += piece.length;
    if (length <= most) held.push(piece);
    else held = [];
  };
  const finish = () => {
    if (length > most) onTooLong();
    else onLine(held.length === 1 ? held[0]! : Buffer.concat(held));
    held = [];
    length = 0;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
    end() {
      if (length > 0) finish();
    },
  };
}

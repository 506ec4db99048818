import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { lineReader } from './lines.ts';
import { OpenRequests } from './open-requests.ts';
import { type Refusal, readMessage, refuseId, refuseLength } from './read-message.ts';

/** The time in which a message that was read becomes a call that is tracked. */
const PICKED_UP_MS = 20;
/** A larger message is refused unread: documents are at most 1 MiB. */
const MAX_MESSAGE_BYTES = 10 << 20;

/** What the transport tells and asks of whoever serves over it. */
export interface LineOptions {
  /** Told what was no message, and was answered with this. */
  refused: (refusal: Refusal) => void;
  /** Resolves when what was asked has been answered. */
  settled: () => Promise<unknown>;
}

/**
 * Messages as lines (MCP's stdio transport), each parsed once. What is no message is refused here, since further in nobody
 * would answer it. The end of the input closes the connection only when what was asked before it has been answered, so that
 * `printf … | kairos serve` works; a broken output closes it at once.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #options: LineOptions;
  readonly #requests = new OpenRequests();
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
    return new Promise((resolve, reject) => {
      this.#stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stdin.destroy();
    this.onclose?.();
  }

  #take(line: string): void {
    if (line === '' || this.#closed) return;
    const read = readMessage(line);
    if ('refusal' in read) this.#refuse(read.refusal);
    else if (this.#requests.admit(read.message)) this.onmessage?.(read.message);
    else this.#refuse(refuseId().refusal);
  }

  #refuse(refusal: Refusal): void {
    this.#options.refused(refusal);
    this.#stdout.write(`${JSON.stringify(refusal)}\n`);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { KairosError } from '../../base/errors.ts';
import { endTree, killTreeNow, startTree } from '../commands/process-tree.ts';
import { readOutput, type StreamReader } from '../commands/watched.ts';
import type { Redactor } from '../secrets/redact.ts';
import { within } from '../system.ts';
import type { ServerStart } from './resolve-server.ts';

/** A started MCP server: the SDK's transport over its stdin and stdout, its stderr, and its end. */
export interface ServerProcess {
  transport: Transport;
  stderr: StreamReader;
  /** Resolves when it can no longer answer. */
  broken: Promise<Breakdown>;
  /** The first line of its output that wasn't a JSON-RPC message; null when every line was. */
  strayLine(): string | null;
  /** Ends it with everything that it started: stdin closed, then TERM, then KILL. Returns the pids that could not be ended. */
  end(hurry?: AbortSignal): Promise<number[]>;
}

/** Why a server can no longer answer: it ended or closed its output, or it wrote what cannot be read. */
interface Breakdown {
  failure: 'ended_early' | 'protocol_error';
  reason: string;
}

/** Some servers print a greeting on stdout, of fewer lines than this. */
const MAX_STRAY_LINES = 20;
const MAX_LINE_BYTES = 10 << 20;
const LF = 10;
const STDIN_CLOSED_MS = 500;
const GRACE_MS = 2000;
/** A process that has ended may have left its answer in the pipe. */
const LAST_WORDS_MS = 300;

/**
 * Starts a server in a separate process group. Unlike the SDK's stdio transport this ends the whole tree, and
 * gives up on a server that doesn't use the protocol. Rejects with the system's error when it can't be
 * started.
 */
export async function startServer(
  start: ServerStart,
  redactor: Pick<Redactor, 'redact' | 'stream'>,
): Promise<ServerProcess> {
  const { deserializeMessage, serializeMessage } = await import('@modelcontextprotocol/sdk/shared/stdio.js');
  const { command, args, env, cwd } = start;
  const tree = await startTree(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ownGroup: true });
  const killNow = () => killTreeNow(tree);
  process.once('exit', killNow);
  const { child } = tree;
  const [stdin, stdout, errors] = [child.stdin!, child.stdout!, child.stderr!];
  const stderr = readOutput(errors, redactor, () => {});

  let reading = true;
  let giveUp: (failure: Breakdown['failure'], reason: string) => void = () => {};
  const broken = new Promise<Breakdown>((resolve) => {
    giveUp = (failure, reason) => {
      reading = false;
      resolve({ failure, reason });
    };
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => stdout.once('end', resolve));
  const endedHow = () => `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`;
  void exited.then(() => delay(LAST_WORDS_MS)).then(() => giveUp('ended_early', endedHow()));
  void closed.then(() => delay(2 * LAST_WORDS_MS)).then(() => giveUp('ended_early', 'it closed its output'));
  stdin.on('error', () => {}); // a server that no longer reads does not answer
  stdout.on('error', () => {});

  const strayLines: string[] = [];
  const transport: Transport = {
    async start() {
      const read = (bytes: Buffer) => {
        const line = bytes.toString('utf8').replace(/\n$/, '');
        if (!reading || line.trim() === '') return;
        let message: ReturnType<typeof deserializeMessage>;
        try {
          message = deserializeMessage(line);
        } catch {
          strayLines.push(line);
          if (strayLines.length > MAX_STRAY_LINES)
            giveUp('protocol_error', 'it wrote line after line that is not JSON-RPC');
          return;
        }
        transport.onmessage?.(message);
      };
      eachLine(stdout, read).catch(({ message }: Error) => giveUp('protocol_error', message));
    },
    async send(message) {
      stdin.write(serializeMessage(message));
    },
    async close() {
      reading = false;
      transport.onclose?.();
    },
  };

  return {
    transport,
    stderr,
    broken,
    strayLine: () => strayLines[0] ?? null,
    async end(hurry) {
      reading = false;
      stdin.end();
      await Promise.race([exited, delay(hurry?.aborted ? 0 : STDIN_CLOSED_MS)]);
      const survivors = await endTree(tree, { graceMs: GRACE_MS, ...(hurry ? { hurry } : {}) });
      for (const stream of [stdin, stdout, errors]) stream.destroy();
      child.unref();
      process.removeListener('exit', killNow);
      return survivors;
    },
  };
}

/** A promise: the next message waits for it. */
export type Work = void | Promise<void>;

/**
 * Reads a stream in lines, each with its line feed, which the last line can lack. The stream waits for the work on a line.
 * Rejects for a line above the limit, and for a stream that fails or is destroyed. An iterator would cost 30 µs a message.
 */
export function eachLine(
  stream: Readable,
  onLine: (line: Buffer) => Work,
  limit = MAX_LINE_BYTES,
): Promise<void> {
  let pieces: Buffer[] = [];
  let length = 0;
  const read = (chunk: Buffer): Work => {
    for (let from = 0; ; ) {
      const end = chunk.indexOf(LF, from) + 1;
      if (end === 0) {
        pieces.push(chunk.subarray(from));
        length += chunk.length - from;
        if (length > limit) throw new Error(`it wrote a line of more than ${limit >> 20} MiB`);
        return;
      }
      const piece = chunk.subarray(from, end);
      const work = onLine(length === 0 ? piece : Buffer.concat([...pieces, piece]));
      [pieces, length, from] = [[], 0, end];
      if (work !== undefined) return work.then(() => read(chunk.subarray(end)));
    }
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      stream.destroy();
    };
    let work: Work;
    stream.on('data', (chunk: Buffer) => {
      try {
        work = read(chunk);
        if (work === undefined) return;
        stream.pause();
        work.then(() => stream.resume(), fail);
      } catch (error) {
        fail(error as Error);
      }
    });
    // A stream may end during the last work.
    finished(stream, { writable: false })
      .then(() => work)
      .then(() => (length > 0 ? onLine(Buffer.concat(pieces)) : undefined))
      .then(resolve, fail);
  });
}

/** The server behind the gateway. Messages are lines, with their line feeds. */
export interface BehindGateway {
  /** A promise: the next message has to wait for it. */
  send(line: Buffer): Work;
  /** Called once, before anything is sent. Resolves when the server sends nothing more. */
  receive(onLine: (line: Buffer) => Work, onLost: (lost: LostRequest) => Work): Promise<void>;
  /** Ends it. `now`: without waiting for what it still does. */
  close(now?: boolean): Promise<void>;
}

/** A request that the server will not answer, and why. */
export interface LostRequest {
  id: unknown;
  reason: string;
}

/** Longer than any message, so that a line without an end doesn't fill the memory. */
export const MAX_MESSAGE_BYTES = 256 << 20;

interface ProgramOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** How long a server behind the gateway may still run after SIGTERM. With the time before it that is less than clients give to a server before they kill it, in milliseconds. */
const TERM_MS = 1500;

/** Starts a server that uses standard input and output. Throws INVALID_INPUT if it can't be started. */
export async function programBehind(
  command: readonly string[],
  { env, cwd }: ProgramOptions,
): Promise<BehindGateway> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const closed = new Promise((resolve) => stdout.once('close', resolve));
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new KairosError('INVALID_INPUT', `${program} cannot be started: ${(cause as Error).message}`, {
      hint: 'Write the command of the MCP server after --.',
      cause,
    });
  }
  // A signal that can't be sent, or a server that no longer reads: its end or its answers follow.
  for (const each of [child, stdin]) each.on('error', () => undefined);
  return {
    send: (line) => (stdin.write(line) ? undefined : drained(stdin)),
    receive: (onLine) => eachLine(stdout, onLine, MAX_MESSAGE_BYTES),
    async close(now = false) {
      stdin.end();
      if (!now) await within(exited, GRACE_MS);
      child.kill('SIGTERM');
      await within(exited, TERM_MS);
      child.kill('SIGKILL');
      // What it started may still have its output.
      await within(closed, TERM_MS);
      stdout.destroy();
    },
  };
}

/** Resolves when a stream that is full can be written to again, or is closed. */
export function drained(stream: Writable): Promise<void> | undefined {
  if (stream.destroyed) return;
  return new Promise((resolve) => {
    const done = () => {
      for (const name of DRAINED) stream.removeListener(name, done);
      resolve();
    };
    for (const name of DRAINED) stream.once(name, done);
  });
}

const DRAINED = ['drain', 'close', 'error'] as const;

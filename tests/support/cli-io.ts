import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CliIo, InputStream, OutputStream } from '../../src/cli/io.ts';
import { createOutput, type Output } from '../../src/cli/output.ts';

export interface FakeIoOptions {
  stdin?: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  now?: number;
  /** Streams are terminals of 80 columns. */
  tty?: boolean;
}

export interface FakeIo {
  io: CliIo;
  stdout: () => string;
  stderr: () => string;
}

/** Streams in memory for calls of the command line within the test's own process. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const out = collector(options.tty);
  const err = collector(options.tty);
  return {
    io: {
      stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]) as InputStream,
      stdout: out.stream,
      stderr: err.stream,
      env: options.env ?? {},
      cwd: options.cwd ?? '/',
      now: () => options.now ?? Date.UTC(2026, 0, 15, 12),
      accountHome: () => null,
      signals: new EventEmitter(),
    },
    stdout: out.text,
    stderr: err.text,
  };
}

/** An output over streams in memory. */
export function fakeOutput(options: FakeIoOptions & { json?: boolean; color?: 'always' | 'never' } = {}): {
  output: Output;
  stdout: () => string;
  stderr: () => string;
} {
  const { io, stdout, stderr } = fakeIo(options);
  const output = createOutput(io, { json: options.json ?? false, color: options.color ?? 'never' });
  return { output, stdout, stderr };
}

function collector(tty = false): { stream: OutputStream; text: () => string } {
  const chunks: string[] = [];
  const stream: OutputStream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  if (tty) Object.assign(stream, { isTTY: true, columns: 80 });
  return { stream, text: () => chunks.join('') };
}

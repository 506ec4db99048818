import { EventEmitter } from 'node:events';
import { realpathSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { InputStream } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { clockInProcess } from './cli.ts';

export interface InProcessOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: Readable;
  /** Default: text is collected. */
  stdout?: Writable;
  stderr?: Writable;
}

/** A call of the command line inside the test's own process. */
export interface InProcess {
  /** What `main` returned. */
  exit: Promise<number>;
  /** Sends a signal to this call alone. */
  signal(name: NodeJS.Signals): void;
}

/** Calls `main` with streams in memory; the call sees this environment, folder and signals, and none of the process's. */
export function callMain(args: readonly string[], options: InProcessOptions): InProcess {
  const signals = new EventEmitter();
  // As a child process gets it.
  const env = Object.fromEntries(Object.entries(options.env).filter(([, value]) => value !== undefined));
  return {
    exit: main([...args], {
      stdin: options.stdin as InputStream,
      stdout: options.stdout ?? new PassThrough().resume(),
      stderr: options.stderr ?? new PassThrough().resume(),
      env,
      cwd: realpathSync(options.cwd),
      now: clockInProcess,
      accountHome: () => env.HOME ?? null,
      signals,
    }),
    signal: (name) => void signals.emit(name),
  };
}

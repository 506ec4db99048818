import type { Readable, Writable } from 'node:stream';

export type InputStream = Readable & { isTTY?: boolean };
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** Everything outside the program that the command line uses; a parameter, so that tests can replace it. */
export interface CliIo {
  stdin: InputStream;
  /** What standard input has now, and whether it ended. Absent: only the stream is there. */
  readNow?: () => { chunks: Buffer[]; ended: boolean };
  stdout: OutputStream;
  /** Writes to standard output without the stream; false if it can't be written. Absent: only the stream is there. */
  writeNow?: (text: string) => boolean;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Where signals come from: the process. A call within another program passes its own emitter. */
  signals: SignalSource;
  /** The words with which this program can be started again. Default: `kairos`. */
  calledAs?: () => readonly string[];
  /** The account's own home folder, or null. Default: the one in the system's user database. */
  accountHome?: () => string | null;
  /** Sets flags of V8 for the whole process. Absent when the process has other work as well. */
  setEngineFlags?: (flags: readonly string[]) => void;
}

/** The part of `process` that signals are received with. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Folders that a command names instead of the environment. */
export interface NamedFolders {
  configDir?: string;
  dataDir?: string;
}

/** The same surroundings with these folders. Streams stay lazy. */
export function inFolders(io: CliIo, { configDir, dataDir }: NamedFolders): CliIo {
  if (configDir === undefined && dataDir === undefined) return io;
  const env = {
    ...io.env,
    ...(configDir === undefined ? {} : { KAIROS_CONFIG_DIR: configDir }),
    ...(dataDir === undefined ? {} : { KAIROS_DATA_DIR: dataDir }),
  };
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(io), env: { value: env } },
  ) as CliIo;
}

/** Process exit codes that do not come from a signal. */
export const EXIT = {
  ok: 0,
  /** An error of a run, or a failed operation. */
  failed: 1,
  /** Usage or input that cannot be used. */
  usage: 2,
} as const;

/** Writes a short text to standard output, faster than with a stream where possible. Returns false if it can't be written. */
export function writeShort(io: CliIo, text: string): boolean {
  if (io.writeNow !== undefined) return io.writeNow(text);
  io.stdout.on('error', () => undefined);
  io.stdout.write(text);
  return true;
}

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Absolute path of `bin/kairos.js`, which runs the bundle in `dist`. */
export const KAIROS_BIN = fileURLToPath(new URL('../../bin/kairos.js', import.meta.url));

const ACCOUNT_HOME = fileURLToPath(new URL('account-home.cjs', import.meta.url));

/** A user of their own: nothing of the real one's home, configuration or environment gets in. */
export interface CliHome {
  /** The folder of everything below. */
  root: string;
  home: string;
  /** KAIROS_DATA_DIR: store, keys, trust. */
  data: string;
  /** KAIROS_CONFIG_DIR. */
  config: string;
  /** Working directory of calls that name none. */
  work: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

export interface CliOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Text for standard input; `'closed'` gives it none at all. Default: an empty one. */
  stdin?: string | 'closed';
  /** Killed, or given up, after this long, in milliseconds. */
  timeoutMs?: number;
  /** Only prepares or reads what a test is about, and other tests run it as the real binary: it runs in process everywhere. */
  prepares?: boolean;
}

export interface CliResult {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Node 22 and later keep what they have compiled, where they are told to. */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

export function makeHome(): CliHome {
  aheadMs = 0;
  const root = mkdtempSync(join(tmpdir(), 'kairos-cli-'));
  const folder = (name: string) => {
    const path = join(root, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const [home, data, config, work] = ['home', 'data', 'config', 'work'].map(folder) as [
    string,
    string,
    string,
    string,
  ];
  // The name that printed commands have.
  const bin = folder('bin');
  symlinkSync(KAIROS_BIN, join(bin, 'kairos'));
  return {
    root,
    home,
    data,
    config,
    work,
    env: {
      PATH: [bin, process.env.PATH].join(delimiter),
      HOME: home,
      TMPDIR: tmpdir(),
      LANG: 'C.UTF-8',
      ...compileCache,
      XDG_DATA_HOME: join(home, 'share'),
      XDG_CONFIG_HOME: join(home, 'etc'),
      KAIROS_DATA_DIR: data,
      KAIROS_CONFIG_DIR: config,
      NODE_OPTIONS: `--require=${ACCOUNT_HOME}`,
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Whether what may run in process runs as the real binary instead: set for the project `process`. */
export const SPAWNS = process.env.KAIROS_TEST_SPAWN === '1';

let aheadMs = 0;

/** The clock of calls in process. */
export const clockInProcess = (): number => Date.now() + aheadMs;

/** Lets time pass: the real program waits for it, and the clock of calls in process goes ahead until the next `makeHome`. */
export async function passTime(ms: number): Promise<void> {
  if (SPAWNS) await delay(ms);
  else aheadMs += ms;
}

/** A call that goes on: the test writes to it, waits for what it says, sends it signals. */
export interface Launched {
  stdin: Writable;
  /** Standard output itself, for a protocol of messages. */
  output: Readable;
  /** What came so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the text so far, once it holds the pattern. Throws when the call ends before that. */
  said(pattern: string | RegExp, from?: 'stdout' | 'stderr'): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** How it ended; all its output has come by then. */
  exit: Promise<CliResult>;
}

/** Starts the command line in process, or the real binary where the project says so. */
export async function launchKairos(
  home: CliHome,
  args: readonly string[],
  options: Omit<CliOptions, 'stdin' | 'timeoutMs'> = {},
): Promise<Launched> {
  if (SPAWNS && options.prepares !== true) {
    const child = startKairos(home, args, options);
    const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams;
    return launched(
      { stdin, stdout, stderr },
      new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code, signal) => resolve({ code, signal }));
      }),
      (name) => void child.kill(name),
    );
  }
  const { callMain } = await import('./in-process.ts');
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const env = { ...home.env, ...options.env };
  const call = callMain(args, { env, cwd: options.cwd ?? home.work, ...streams });
  const exit = call.exit.then(async (code) => {
    await Promise.all([streams.stdout, streams.stderr].map((stream) => finished(stream.end())));
    return { code, signal: null };
  });
  return launched(streams, exit, call.signal);
}

function launched(
  { stdin, stdout, stderr }: { stdin: Writable; stdout: Readable; stderr: Readable },
  exit: Promise<Pick<CliResult, 'code' | 'signal'>>,
  signal: (name: NodeJS.Signals) => void,
): Launched {
  const text = { stdout: '', stderr: '' };
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text[name as 'stdout' | 'stderr'] += piece;
    });
  }
  // A command that ends without reading its input is no fault of the test.
  stdin.on('error', () => undefined);
  return {
    stdin,
    output: stdout,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    signal,
    exit: exit.then((end) => ({ ...end, ...text })),
    said: async (pattern, from = 'stdout') => {
      const stream = { stdout, stderr }[from];
      const holds = () =>
        typeof pattern === 'string' ? text[from].includes(pattern) : pattern.test(text[from]);
      while (!holds()) {
        const ended = await Promise.race([once(stream, 'data').then(() => false), exit.then(() => true)]);
        if (ended && !holds())
          throw new Error(`ended before it said ${pattern}: ${text.stdout}${text.stderr}`);
      }
      return text[from];
    },
  };
}

const TIMEOUT_MS = 100_000;

/** What the real binary was started with in a file, without values, and the tests that started it. */
const started = new Set<string>();

/** Whether a file calls a command with these options for the first time, or a test calls any. */
function isNew(args: readonly string[], { env = {}, stdin }: CliOptions): boolean {
  const { testPath, currentTestName } = expect.getState();
  const options = args.filter((arg) => /^--?[a-z]/.test(arg)).map((arg) => arg.split('=')[0]);
  const words = args.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 2);
  const surroundings = [Object.keys(env).toSorted(), stdin === 'closed'];
  const before = started.size;
  started.add(JSON.stringify([testPath, words, options.toSorted(), surroundings]));
  started.add(JSON.stringify([testPath, currentTestName]));
  return started.size > before;
}

/**
 * Calls the command line and waits for its end: in process, or by the real binary where the project says so. There each test starts the
 * binary for its first call, and each file for each command and its options. Repeated calls with other values run in process.
 */
export async function kairos(
  home: CliHome,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  if (SPAWNS && options.prepares !== true && isNew(args, options)) return spawnKairos(home, args, options);
  const { stdin = '', timeoutMs = TIMEOUT_MS, ...rest } = options;
  const call = await launchKairos(home, args, rest);
  call.stdin.end(stdin === 'closed' ? '' : stdin);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`kairos ${args.join(' ')} has not ended in time`)), timeoutMs);
  });
  try {
    return await Promise.race([call.exit, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the real binary; the caller talks to it. */
export function startKairos(home: CliHome, args: readonly string[], options: CliOptions = {}): ChildProcess {
  return spawn(process.execPath, [KAIROS_BIN, ...args], {
    cwd: options.cwd ?? home.work,
    env: { ...home.env, ...options.env },
    stdio: [options.stdin === 'closed' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

/** Runs the real binary to its end. */
export function spawnKairos(
  home: CliHome,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const child = startKairos(home, args, options);
  const { stdin = '', timeoutMs = TIMEOUT_MS } = options;
  // A command that ends without reading its input is no fault of the test.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Calls `kairos` with `--json` and reads each line of standard output. */
export async function kairosJson(
  home: CliHome,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult & { objects: Record<string, unknown>[] }> {
  const result = await kairos(home, [...args, '--json'], options);
  const lines = result.stdout.split('\n').filter((line) => line !== '');
  return { ...result, objects: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** The first object that a call with `--json` printed; throws, with what it said instead, when there is none. */
export function firstObject<T>({ objects, code, stderr }: CliResult & { objects: object[] }): T {
  const [first] = objects;
  if (first === undefined) throw new Error(`no object was printed (exit ${code}): ${stderr}`);
  return first as T;
}

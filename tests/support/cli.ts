import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of `bin/kairos.js`, which runs the bundle in `dist`. */
export const KAIROS_BIN = fileURLToPath(new URL('../../bin/kairos.js', import.meta.url));

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
  /** Killed after this long, in milliseconds. */
  timeoutMs?: number;
}

export interface CliResult {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export function makeHome(): CliHome {
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
  return {
    root,
    home,
    data,
    config,
    work,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: tmpdir(),
      LANG: 'C.UTF-8',
      XDG_DATA_HOME: join(home, 'share'),
      XDG_CONFIG_HOME: join(home, 'etc'),
      KAIROS_DATA_DIR: data,
      KAIROS_CONFIG_DIR: config,
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
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
export function kairos(home: CliHome, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startKairos(home, args, options);
  const { stdin = '', timeoutMs = 25_000 } = options;
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

/** Runs the real binary with `--json` and reads each line of standard output. */
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

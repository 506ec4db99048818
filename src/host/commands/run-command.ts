import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { interpreterNamed } from '../../protocol/block/fence.ts';
import { COMMAND_FLAG } from '../../protocol/terms.ts';
import type { Redactor } from '../secrets/redact.ts';
import { within } from '../system.ts';
import { endTree, killTreeNow, type ProcessTree, startTree, treeMembers } from './process-tree.ts';
import {
  type Captured,
  pausableTimer,
  readOutput,
  type StreamReader,
  type Suspension,
  saveTerminal,
  watchSuspension,
} from './watched.ts';

export interface CommandSpec {
  /** Passed to `/bin/sh -c`. */
  cmd: string;
  /** Default: `sh`. */
  interpreter?: string;
  /** Absolute; see `resolveWorkdir`. */
  cwd: string;
  /** The whole environment; see `commandEnvironment`. */
  env: Readonly<Record<string, string>>;
  timeoutSeconds: number;
  /** Inherits the terminal; its output is then neither seen nor kept. */
  interactive: boolean;
  redact: Redactor;
  /** `bwrap` falls back to a process group if it isn't available; the result has the one in use. */
  containment?: 'process-group' | 'bwrap';
}

export interface CommandHooks {
  /** Redacted text as it comes; not escaped for a terminal. Must not throw. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
  onStarted?(pid: number): void;
  /** Ends the command in good order: TERM, then KILL. */
  signal?: AbortSignal;
  /** If also aborted: KILL immediately. */
  kill?: AbortSignal;
}

export interface CommandResult {
  /** Null when a signal ended it, or when it could not be ended. */
  exit_code: number | null;
  signal: string | null;
  timed_out: boolean;
  aborted: boolean;
  /** Why it could not be started; null when it was. */
  error: string | null;
  /** How long it was suspended (Ctrl-Z); not part of its duration. */
  suspended_seconds: number;
  /** To the millisecond. */
  duration_seconds: number;
  /** Null for an interactive command. */
  stdout: Captured | null;
  stderr: Captured | null;
  containment: Containment;
  /** Pids of processes of the command that could not be ended; empty except for another user's. */
  survivors: number[];
}

const GRACE_MS = 2000;
/** How long the output may stay open after the shell has ended before its owner is searched for. */
const DRAIN_MS = 300;
/** How long to wait for the end of an output that no known process keeps open. */
const PATIENCE_MS = 2000;

/**
 * Runs a command line until it ends, times out or is aborted. Never throws: a command that can't start returns `error`.
 * Timeout and abort end the whole process tree. The command ends with its shell. Processes that keep its output open are
 * ended too, so a service that must keep running redirects its output.
 */
export async function runCommand(spec: CommandSpec, hooks: CommandHooks = {}): Promise<CommandResult> {
  const wrapped = spec.containment === 'bwrap' && (await bwrapUsable());
  const containment = wrapped ? 'bwrap' : spec.interactive ? 'terminal' : 'process-group';
  if (hooks.signal?.aborted || hooks.kill?.aborted) return neverStarted(containment, null);

  const restoreTerminal = spec.interactive ? saveTerminal() : undefined;
  const begun = performance.now();
  // Before the start, because the command can run before this program gets the event.
  const pause = watchSuspension();
  const tree = await start(spec, wrapped);
  if (typeof tree === 'string') {
    pause.dispose();
    return neverStarted(containment, tree);
  }
  pause.attach(tree);
  const killNow = () => killTreeNow(tree);
  process.once('exit', killNow);
  try {
    hooks.onStarted?.(tree.pid);
    const { child } = tree;
    const stdout =
      child.stdout && readOutput(child.stdout, spec.redact, (text) => hooks.onOutput?.('stdout', text), true);
    const stderr =
      child.stderr && readOutput(child.stderr, spec.redact, (text) => hooks.onOutput?.('stderr', text));

    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const reason = await firstOf(ended, spec.timeoutSeconds, hooks, pause);
    const end = () => endTree(tree, { graceMs: GRACE_MS, ...(hooks.kill ? { hurry: hooks.kill } : {}) });
    let survivors: number[] = [];
    if (reason !== 'ended') survivors = await end();
    else if (!(await within(closed, DRAIN_MS)) && treeMembers(tree).length > 0) survivors = await end();
    if (!(await within(closed, PATIENCE_MS))) dropOutput(tree);
    if (reason !== 'ended' || child.signalCode !== null) restoreTerminal?.();

    return {
      exit_code: child.exitCode,
      signal: child.signalCode,
      timed_out: reason === 'timed_out',
      aborted: reason === 'aborted',
      error: null,
      suspended_seconds: Math.round(pause.ms()) / 1000,
      duration_seconds: Math.round(performance.now() - begun - pause.ms()) / 1000,
      ...kept(stdout, stderr),
      containment,
      survivors,
    };
  } catch (error) {
    killNow();
    throw error;
  } finally {
    process.removeListener('exit', killNow);
    pause.dispose();
  }
}

/** The tree of the command, or why the system refused to start it. */
async function start(spec: CommandSpec, wrapped: boolean): Promise<ProcessTree | string> {
  const [file, args] = shellCommand(spec.cmd, spec.cwd, wrapped, spec.interpreter);
  try {
    return await startTree(file, args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: spec.interactive ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      ownGroup: !spec.interactive,
      wrapped,
    });
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT' && existsSync(spec.cwd);
    return isMissing ? `${file} is not installed, or not in PATH` : (cause as Error).message;
  }
}

type EndReason = 'ended' | 'timed_out' | 'aborted';

/** What comes first: the end of the shell, the timeout, or an abort. */
function firstOf(
  ended: Promise<void>,
  timeoutSeconds: number,
  { signal, kill }: CommandHooks,
  pause: Suspension,
): Promise<EndReason> {
  return new Promise((resolve) => {
    const timer = pausableTimer(() => settle('timed_out'), timeoutSeconds * 1000, pause);
    const abort = () => settle('aborted');
    const settle = (reason: EndReason) => {
      timer.clear();
      signal?.removeEventListener('abort', abort);
      kill?.removeEventListener('abort', abort);
      resolve(reason);
    };
    signal?.addEventListener('abort', abort);
    kill?.addEventListener('abort', abort);
    if (signal?.aborted || kill?.aborted) abort();
    void ended.then(() => settle('ended'));
  });
}

/** An unreachable process keeps the pipes open: stop listening, so that nothing waits for it. */
function dropOutput({ child }: ProcessTree): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function kept(
  stdout: StreamReader | null,
  stderr: StreamReader | null,
): Pick<CommandResult, 'stdout' | 'stderr'> {
  return { stdout: stdout?.result() ?? null, stderr: stderr?.result() ?? null };
}

function neverStarted(containment: Containment, error: string | null): CommandResult {
  return {
    exit_code: null,
    signal: null,
    timed_out: false,
    aborted: error === null,
    error,
    suspended_seconds: 0,
    duration_seconds: 0,
    stdout: null,
    stderr: null,
    containment,
    survivors: [],
  };
}

/**
 * How a command's processes are contained. `process-group`: a separate group and session; on Linux, processes
 * that left them are found by mark and ancestors. `bwrap`: also a separate process namespace, which no
 * process can leave. `terminal`: an interactive command shares the terminal's group; its processes are found
 * by mark and ancestors only.
 */
type Containment = 'process-group' | 'bwrap' | 'terminal';

const BWRAP = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];

/** The program and arguments that run a command by its interpreter, within bubblewrap or not. */
function shellCommand(
  cmd: string,
  cwd: string,
  wrapped: boolean,
  interpreter = 'sh',
): [file: string, args: string[]] {
  const name = interpreterNamed(interpreter) ?? interpreter;
  const program = name === 'sh' ? '/bin/sh' : name;
  const args = [COMMAND_FLAG[name] ?? '-c', cmd];
  return wrapped ? ['bwrap', [...BWRAP, '--chdir', cwd, '--', program, ...args]] : [program, args];
}

let usable: Promise<boolean> | undefined;

/** True when bubblewrap is installed and the system lets it make a process namespace. Tried once. */
export function bwrapUsable(): Promise<boolean> {
  usable ??= promisify(execFile)('bwrap', [...BWRAP, '--', '/bin/sh', '-c', ':'], { timeout: 5000 }).then(
    () => true,
    () => false,
  );
  return usable;
}

import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { EntryData } from '../../ledger/entry.ts';
import type { ProofOfWork } from '../../protocol/schema.ts';
import { isPassed } from '../../protocol/terms.ts';
import { type Danger, dangersOf } from '../../shell/danger.ts';
import { isInside } from '../files/paths.ts';
import type { Redactor } from '../secrets/redact.ts';
import { signalExitCode } from '../system.ts';
import type { CommandResult, CommandSpec } from './run-command.ts';

export type ShellDefinition = Extract<ProofOfWork, { type: 'shell' }>['shell'];

/** A command as people are shown it before it runs. */
export interface CommandInfo {
  cmd: string;
  cwd: string;
  env: string[];
  timeoutSeconds: number;
  danger: string | null;
  /** Other than `sh`. */
  interpreter?: string;
}

/** A command as it will run here: directory and environment resolved. */
export interface ResolvedCommand {
  info: CommandInfo;
  env: Record<string, string>;
  /** Environment names that the step asks for and that are not set. */
  missing: string[];
  interactive: boolean;
}

/** Resolves a step's command below `root`, with what it may see of `env`. INVALID_INPUT for a missing directory. */
export async function resolveCommand(
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
  shell: ShellDefinition,
): Promise<ResolvedCommand> {
  const own = commandEnvironment(env, shell.env);
  const interpreter = interpreterOf(shell);
  const danger = dangerOf(shell);
  return {
    info: {
      cmd: shell.cmd,
      cwd: await resolveWorkdir(root, shell.workdir),
      env: shell.env ?? [],
      timeoutSeconds: shell.timeout_seconds,
      danger: danger === null ? null : `${danger.what} ${danger.why}`,
      ...(interpreter === 'sh' ? {} : { interpreter }),
    },
    env: own.env,
    missing: own.missing,
    interactive: shell.interactive === true,
  };
}

/** The interpreter of a command; `sh` unless the step names another. */
function interpreterOf(shell: ShellDefinition): string {
  return shell.interpreter ?? 'sh';
}

/** What a command could destroy; null if nothing is found. Only commands of a shell are read for it. */
export function dangerOf(shell: ShellDefinition): Danger | null {
  return ['sh', 'bash', 'zsh'].includes(interpreterOf(shell)) ? (dangersOf(shell.cmd)[0] ?? null) : null;
}

/** A command with these variables in addition to its own. */
export function withVariables(
  env: NodeJS.ProcessEnv,
  shell: ShellDefinition,
  variables: Readonly<Record<string, string>>,
): { env: NodeJS.ProcessEnv; shell: ShellDefinition } {
  const names = Object.keys(variables);
  if (names.length === 0) return { env, shell };
  return {
    env: { ...env, ...variables },
    shell: { ...shell, env: [...new Set([...(shell.env ?? []), ...names])] },
  };
}

/** The input of `runCommand`. */
export function commandSpec(
  { info, env }: ResolvedCommand,
  { redactor, contain, interactive }: { redactor: Redactor; contain: boolean; interactive: boolean },
): CommandSpec {
  return {
    cmd: info.cmd,
    ...(info.interpreter === undefined ? {} : { interpreter: info.interpreter }),
    cwd: info.cwd,
    env,
    timeoutSeconds: info.timeoutSeconds,
    interactive,
    redact: redactor,
    containment: contain ? 'bwrap' : 'process-group',
  };
}

/** `command.started`: recorded before the command runs, so that a crash leaves an unknown outcome instead of no trace. */
export function startedData(
  step: number,
  attempt: string,
  info: CommandInfo,
  redact: (text: string) => string,
): EntryData {
  return {
    step,
    attempt,
    cmd: redact(info.cmd),
    ...(info.interpreter === undefined ? {} : { interpreter: info.interpreter }),
    cwd: info.cwd,
    env: [...info.env],
    timeout_seconds: info.timeoutSeconds,
  };
}

/**
 * The solution that running the command gave, with the whole standard output, which is not redacted. `exit_code` of a command that a signal ended is 128 and the signal's number, of one
 * that could not be started 126; `signal` and `not_started` keep either from proving an expected exit code.
 */
export function shellSolution(result: CommandResult): {
  type: 'shell';
  shell: { exit_code: number; [name: string]: unknown };
} {
  const { stdout, stderr } = result;
  return {
    type: 'shell',
    shell: {
      exit_code: result.error === null ? (result.exit_code ?? signalExitCode(result.signal ?? '')) : 126,
      ...(result.error === null ? {} : { not_started: true }),
      ...(result.exit_code === null && result.error === null ? { signal: result.signal ?? 'unknown' } : {}),
      duration_seconds: result.duration_seconds,
      ...(result.timed_out ? { timed_out: true } : {}),
      ...(stdout === null
        ? {}
        : { stdout: stdout.whole ?? stdout.text, stdout_bytes: stdout.bytes, stdout_sha256: stdout.sha256 }),
      ...(stderr === null
        ? {}
        : { stderr: stderr.text, stderr_bytes: stderr.bytes, stderr_sha256: stderr.sha256 }),
    },
  };
}

/**
 * Data of `command.finished`. Contains the output only after a failure; otherwise the proof records it. `isSecret`: the step captures
 * a secret from it, so the entry has nothing of it.
 */
export function finishedData(
  step: number,
  attempt: string,
  shell: ShellDefinition,
  result: CommandResult,
  isSecret: boolean,
): EntryData {
  const failed = result.exit_code !== shell.expect_exit_code || result.timed_out;
  const kept = (name: 'stdout' | 'stderr'): EntryData => {
    const output = result[name];
    return output === null || isSecret
      ? {}
      : {
          [`${name}_bytes`]: output.bytes,
          [`${name}_sha256`]: output.sha256,
          ...(failed ? { [name]: output.text } : {}),
        };
  };
  return {
    step,
    attempt,
    ...(result.error === null ? {} : { error: result.error }),
    ...(result.suspended_seconds > 0 ? { suspended_ms: Math.round(result.suspended_seconds * 1000) } : {}),
    exit_code: result.exit_code,
    signal: result.signal,
    timed_out: result.timed_out,
    aborted: result.aborted,
    duration_ms: Math.round(result.duration_seconds * 1000),
    containment: result.containment,
    survivors: result.survivors.length,
    ...kept('stdout'),
    ...kept('stderr'),
  };
}

interface CommandEnvironment {
  env: Record<string, string>;
  /** Names that the step asked for and that are not set. */
  missing: string[];
}

/** The environment of a command (SPEC 8): the allowlist and `LC_*`, plus what the step's `env` names. Nothing else. */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): CommandEnvironment {
  const asked = new Set(names);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (isPassed(name) || asked.has(name)) env[name] = value;
  }
  return { env, missing: [...asked].filter((name) => !Object.hasOwn(env, name)) };
}

/**
 * The directory of a step's command: `workdir` below `root`, links resolved. Throws INVALID_INPUT if it
 * leaves the root, by `..` or through a link, doesn't exist or isn't a directory.
 */
export async function resolveWorkdir(root: string, workdir = '.'): Promise<string> {
  const refuse = (reason: string, cause?: unknown) =>
    new KairosError('INVALID_INPUT', `workdir ${JSON.stringify(workdir)} ${reason}`, {
      hint: `Name a directory inside ${root}.`,
      cause,
    });
  if (workdir.includes('\0')) throw refuse('contains a NUL character');
  if (workdir.split(/[\\/]/).includes('..')) throw refuse('must not go upwards with ".."');

  const top = await realpath(root).catch((cause) => {
    throw new KairosError('FILE_UNREADABLE', `the working directory ${root} cannot be read`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  });
  const real = await realpath(resolve(top, workdir)).catch((cause) => {
    throw refuse('does not exist', cause);
  });
  if (!isInside(top, real)) throw refuse('lies outside the working directory');
  if (!(await stat(real)).isDirectory()) throw refuse('is not a directory');
  return real;
}

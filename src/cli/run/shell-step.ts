import { randomUUID } from 'node:crypto';
import { commandEnvironment } from '../../exec/environment.ts';
import { type CommandResult, runCommand } from '../../exec/run-command.ts';
import { resolveWorkdir } from '../../exec/workdir.ts';
import type { EntryData } from '../../ledger/entry.ts';
import type { ProofOfWork } from '../../protocol/schema.ts';
import { record } from '../../run/service/next.ts';
import { dangersOf } from '../../shell/danger.ts';
import type { CommandInfo } from './report.ts';
import type { RunSession } from './session.ts';

type ShellDefinition = Extract<ProofOfWork, { type: 'shell' }>['shell'];

/** A command as it will run here: directory and environment resolved. */
export interface ResolvedCommand {
  info: CommandInfo;
  env: Record<string, string>;
  /** Environment names that the step asks for and that are not set. */
  missing: string[];
  interactive: boolean;
}

/** What running a command gave: the solution, and the entry that records it. */
export interface CommandRun {
  solution: { type: 'shell'; shell: Record<string, unknown> };
  finished: EntryData;
  result: CommandResult;
}

export async function resolveCommand(
  session: Pick<RunSession, 'root' | 'io'>,
  shell: ShellDefinition,
): Promise<ResolvedCommand> {
  const { env, missing } = commandEnvironment(session.io.env, shell.env);
  const [danger] = dangersOf(shell.cmd);
  return {
    info: {
      cmd: shell.cmd,
      cwd: await resolveWorkdir(session.root, shell.workdir),
      env: shell.env ?? [],
      timeoutSeconds: shell.timeout_seconds,
      danger: danger === undefined ? null : `${danger.what} ${danger.why}`,
    },
    env,
    missing,
    interactive: shell.interactive === true,
  };
}

/**
 * Runs the command of a step. That it was started is on record before it is, so that a crash in between leaves the
 * step *in doubt* instead of forgotten; how it ended is written together with the verdict on it.
 */
export async function runShellStep(
  session: RunSession,
  step: number,
  shell: ShellDefinition,
  resolved: ResolvedCommand,
): Promise<CommandRun & { interrupted: boolean }> {
  const { ctx, runId, reporter, interrupts } = session;
  const attempt = randomUUID();
  const { info } = resolved;
  const interactive = resolved.interactive && session.hasTerminal;
  await record(ctx, runId, 'command.started', {
    step,
    attempt,
    cmd: ctx.redact(info.cmd),
    cwd: info.cwd,
    env: [...info.env],
    timeout_seconds: info.timeoutSeconds,
  });
  const spec = {
    cmd: info.cmd,
    cwd: info.cwd,
    env: resolved.env,
    timeoutSeconds: info.timeoutSeconds,
    interactive,
    redact: session.redactor,
    containment: session.contain ? ('bwrap' as const) : ('process-group' as const),
  };
  const { value: result, interrupted } = interactive
    ? { value: await interrupts.handOver(() => runCommand(spec)), interrupted: false }
    : await interrupts.during(({ stop, kill }) =>
        runCommand(spec, {
          onOutput: (stream, text) => reporter.output(stream, text),
          signal: stop,
          kill,
        }),
      );
  reporter.commandEnded({
    exitCode: result.exit_code,
    signal: result.signal,
    timedOut: result.timed_out,
    aborted: result.aborted,
    durationMs: Math.round(result.duration_seconds * 1000),
  });
  return {
    result,
    interrupted: interrupted && result.aborted,
    solution: { type: 'shell', shell: solutionOf(result) },
    finished: finishedData(step, attempt, shell, result),
  };
}

/** A command that a signal ended has no exit code; shells count it as 128 and the signal's number. */
function solutionOf(result: CommandResult): Record<string, unknown> {
  const { stdout, stderr } = result;
  return {
    exit_code: result.exit_code ?? 128 + signalNumber(result.signal),
    duration_seconds: result.duration_seconds,
    ...(result.timed_out ? { timed_out: true } : {}),
    ...(stdout === null
      ? {}
      : { stdout: stdout.text, stdout_bytes: stdout.bytes, stdout_sha256: stdout.sha256 }),
    ...(stderr === null
      ? {}
      : { stderr: stderr.text, stderr_bytes: stderr.bytes, stderr_sha256: stderr.sha256 }),
  };
}

/** The output itself goes with the proof; it is kept here only when no proof will come of it. */
function finishedData(
  step: number,
  attempt: string,
  shell: ShellDefinition,
  result: CommandResult,
): EntryData {
  const failed = result.exit_code !== shell.expect_exit_code || result.timed_out;
  const kept = (name: 'stdout' | 'stderr'): EntryData => {
    const output = result[name];
    return output === null
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

const SIGNAL_NUMBERS: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};
function signalNumber(signal: string | null): number {
  return signal === null ? 0 : (SIGNAL_NUMBERS[signal] ?? 0);
}

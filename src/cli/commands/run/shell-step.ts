import { randomUUID } from 'node:crypto';
import { type CommandResult, runCommand } from '../../../host/commands/run-command.ts';
import {
  commandSpec,
  finishedData,
  type ResolvedCommand,
  type ShellDefinition,
  shellSolution,
  startedData,
} from '../../../host/commands/shell-step.ts';
import type { EntryData } from '../../../ledger/entry.ts';
import { record } from '../../../operations/run/next.ts';
import type { RunSession } from './session.ts';

/** What running a command gave: the solution, and the entry that records it. */
export interface CommandRun {
  solution: ReturnType<typeof shellSolution>;
  finished: EntryData;
  result: CommandResult;
}

/** Runs a command for a step, shows it, and lets Ctrl-C end it; how it ended whoever calls writes, with the verdict. `mark`: what it is for, where it is not the step's own. */
export async function runShellStep(
  session: RunSession,
  step: number,
  shell: ShellDefinition,
  resolved: ResolvedCommand,
  mark: EntryData = {},
): Promise<CommandRun & { interrupted: boolean }> {
  const { ctx, runId, reporter, interrupts, redactor, contain } = session;
  const attempt = randomUUID();
  const interactive = resolved.interactive && session.hasTerminal;
  const started = { ...startedData(step, attempt, resolved.info, ctx.redact), ...mark };
  await record(ctx, runId, 'command.started', started);
  const spec = commandSpec(resolved, { redactor, contain, interactive });
  const { value: result, interrupted } = await interrupts.during(({ stop, kill }) => {
    const hooks = { signal: stop, kill };
    return interactive
      ? interrupts.handOver(() => runCommand(spec, hooks))
      : runCommand(spec, { ...hooks, onOutput: (stream, text) => reporter.output(stream, text) });
  });
  reporter.commandEnded({
    exitCode: result.exit_code,
    signal: result.signal,
    timedOut: result.timed_out,
    aborted: result.aborted,
    durationMs: Math.round(result.duration_seconds * 1000),
    error: result.error,
  });
  return {
    result,
    interrupted: interrupted && result.aborted,
    solution: shellSolution(result),
    finished: { ...finishedData(step, attempt, shell, result), ...mark },
  };
}

import { randomUUID } from 'node:crypto';
import { type CommandResult, runCommand } from '../../host/commands/run-command.ts';
import {
  commandSpec,
  finishedData,
  type ResolvedCommand,
  resolveCommand,
  type ShellDefinition,
  shellSolution,
  startedData,
  withVariables,
} from '../../host/commands/shell-step.ts';
import type { Redactor } from '../../host/secrets/redact.ts';
import { isTrusted, type LeftCommand, type OperationContext } from '../../operations/context.ts';
import {
  asksToRun,
  claimStart,
  isHere,
  type NextInput,
  next,
  type PendingCommand,
  pendingCommand,
  pendingTool,
  record,
  serverMayRun,
} from '../../operations/next.ts';
import { lostSecrets } from '../../operations/run/inputs.ts';
import { type LoadedRun, loadRun } from '../../operations/run/transact.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES } from '../../run/wording.ts';
import type { CommandRunner, ToolCallContext } from '../tools/tool.ts';
import type { Log, Metrics } from './metrics.ts';
import type { Activity } from './open-requests.ts';
import { runningCommands, wait } from './wait.ts';

export interface ExecuteOptions {
  /** Absolute; commands stay inside it. */
  root: string;
  env: NodeJS.ProcessEnv;
  redactor: Redactor;
  /** Use bubblewrap if it is available. */
  contain: boolean;
  log: Log;
  metrics: Metrics;
  /** Counts a command as work of the server, although the call that started it may have ended. */
  activity: Activity;
}

const ENDED = 'The command was ended with the server; nothing was proven.';

/**
 * `--execute`: a call of `kairos_next` without a solution, or with the placeholder `{type: "shell"}`, runs the pending
 * shell step of a trusted protocol, so that its proof is observed. The command runs to its own limit, even when the call ends
 * before: the next call waits for its end too, or gets its result.
 * Dangerous and interactive commands are left to people.
 */
export function createRunner(options: ExecuteOptions): CommandRunner {
  const { root, env } = options;
  const commands = runningCommands();
  const ending = new AbortController();
  const resolve = async (
    definition: ShellDefinition,
    values: Readonly<Record<string, string>> = {},
  ): Promise<ResolvedCommand | LeftCommand> => {
    const given = withVariables(env, definition, values);
    const resolved = await resolveCommand({ root, env: given.env }, given.shell).catch(() => null);
    return resolved === null ? 'place' : (leftToPeople(resolved) ?? resolved);
  };
  return {
    running: commands.station,
    end: () => ending.abort(),
    async leaves(shell) {
      const resolved = await resolve(shell);
      return typeof resolved === 'string' ? resolved : null;
    },
    async next({ ctx: guardedCtx, ...rest }, input) {
      if (!asksToRun(input)) return null;
      // What the runner itself writes is not to be kept waiting for its own command.
      const { running: _, ...ctx } = guardedCtx;
      const call = { ...rest, ctx };
      const missed = await missedResult(ctx, input);
      if (missed !== null) return missed;
      const pending = await pendingCommand(ctx, input);
      if (pending === null) return nextTool(call, input);
      const { runId, station, step, run } = pending;
      const begun = () => commands.answer(runId, station);
      const early = begun();
      if (early !== null) return wait(call, step, early);
      if (!serverMayRun(pending)) return null;
      const elsewhere = !isHere(ctx, run.state);
      const isIncomplete = Object.keys(lostSecrets(ctx, run)).length > 0;
      const left =
        elsewhere || isIncomplete || run.state.inDoubt !== null || !(await isTrusted(ctx, run.revision));
      const resolved = left ? null : await resolve(pending.shell, valuesOf(ctx, run));
      // The ordinary answer has the reason.
      if (resolved === null || typeof resolved === 'string') return ask(ctx, input, runId);
      const late = begun();
      if (late !== null) return wait(call, step, late);
      call.signal.throwIfAborted();
      // The client can be asked for its folders only while its call lasts.
      if (pending.reads) await ctx.roots?.();
      const started = options.activity.track(
        commands.run(runId, station, () =>
          execute(options, { ctx, signal: ending.signal }, input, pending, resolved),
        ),
      );
      return waitOrKeep(call, runId, step, started);
    },
  };

  /** The same for a step that calls a tool of a server that the user trusts; null: the agent calls it. */
  async function nextTool(call: ToolCallContext, input: NextInput): Promise<RunFields | null> {
    const { ctx } = call;
    const pending = await pendingTool(ctx, input);
    if (pending === null) return null;
    const { runId, station, step, run } = pending;
    const early = commands.answer(runId, station);
    if (early !== null) return wait(call, step, early);
    const isIncomplete = Object.keys(lostSecrets(ctx, run)).length > 0;
    if (!serverMayRun(pending) || !isHere(ctx, run.state) || isIncomplete || run.state.inDoubt !== null)
      return null;
    if (!(await isTrusted(ctx, run.revision))) return null;
    const { executeTool, trustedServer, withoutServer } = await import('./execute-tool.ts');
    const server = await trustedServer(ctx, pending.server, options);
    if (server === null) return null;
    if (server === 'untrusted') return withoutServer(ctx, input, pending);
    const late = commands.answer(runId, station);
    if (late !== null) return wait(call, step, late);
    call.signal.throwIfAborted();
    const started = options.activity.track(
      commands.run(runId, station, () =>
        executeTool({ ctx, input, pending, server, env: options.env, signal: ending.signal }),
      ),
    );
    return waitOrKeep(call, runId, step, started);
  }

  /** The result for the call that started a command. If that call ends first, the result is kept for the next one. */
  function waitOrKeep(
    call: ToolCallContext,
    runId: string,
    step: number,
    started: Promise<RunFields>,
  ): Promise<RunFields> {
    return wait(call, step, started).catch((error: unknown) => {
      if (call.signal.aborted) void keepResult(call.ctx, runId, started);
      throw error;
    });
  }

  /** The result of a command whose call ended before it did, if nothing has happened in the run since. */
  async function missedResult(
    ctx: OperationContext,
    { run_id: runId }: NextInput,
  ): Promise<RunFields | null> {
    const kept = runId === undefined ? null : commands.kept(runId);
    if (kept === null || runId === undefined) return null;
    return (await loadRun(ctx, runId))?.entryCount === kept.entryCount ? kept.answer : null;
  }

  async function keepResult(
    ctx: OperationContext,
    runId: string,
    started: Promise<RunFields>,
  ): Promise<void> {
    try {
      const answer = await started;
      const run = await loadRun(ctx, runId);
      if (run !== null && !ending.signal.aborted)
        commands.keep(runId, { answer, entryCount: run.entryCount });
    } catch {
      // The record contains the run up to this point.
    }
  }
}

/** Inputs and captures of a run, as its commands get them. */
function valuesOf({ runSecrets }: OperationContext, { state }: LoadedRun): Record<string, string> {
  return { ...state.values, ...runSecrets?.of(state.runId) };
}

function leftToPeople({ info, interactive }: ResolvedCommand): LeftCommand | null {
  if (info.danger !== null) return 'danger';
  return interactive ? 'interactive' : null;
}

async function execute(
  options: ExecuteOptions,
  call: Pick<ToolCallContext, 'ctx' | 'signal'>,
  input: NextInput,
  pending: PendingCommand,
  unpermitted: ResolvedCommand,
): Promise<RunFields> {
  const { ctx } = call;
  const { runId, step } = pending;
  // The nonce and the hash that the proof will be bound to: what is shown now, before the command starts.
  const asked = await ask(ctx, input, runId);
  const shell = pending.gated ? asked.challenge?.shell : pending.shell;
  // There was no permit.
  if (shell === undefined) return asked;
  const resolved = pending.gated
    ? await permitted(options, asked, shell, valuesOf(ctx, pending.run))
    : unpermitted;
  const attempt = randomUUID();
  const started = () => startedData(step, attempt, resolved.info, ctx.redact);
  if (!(await claimStart(ctx, pending, started))) return ask(ctx, input, runId);

  const result = await observe(options, call, pending, resolved);
  const finished = finishedData(step, attempt, shell, result, pending.isSecret);
  if (result.aborted) {
    await record(ctx, runId, 'command.finished', finished);
    return remark(await ask(ctx, input, runId), ENDED);
  }
  const { nonce, proof_hash } = asked.challenge ?? {};
  const solution = shellSolution(result);
  const answer = await next(
    ctx,
    { uri: input.uri, run_id: runId, solution: { ...solution, nonce, proof_hash } },
    { assurance: 'observed', prelude: [{ kind: 'command.finished', data: finished }] },
  );
  return answer.error_code === 'RUN_CLOSED'
    ? remark(answer, MESSAGES.endedAfterSeal(solution.shell.exit_code))
    : answer;
}

/** The command as its permit lets it run: the proposal's parameters are variables of it. */
function permitted(
  { root, env }: ExecuteOptions,
  { challenge }: RunFields,
  shell: ShellDefinition,
  values: Readonly<Record<string, string>>,
): Promise<ResolvedCommand> {
  const environment = { ...values, ...challenge?.environment };
  return resolveCommand(
    { root, env: { ...env, ...environment } },
    { ...shell, env: [...(shell.env ?? []), ...Object.keys(environment)] },
  );
}

async function observe(
  { redactor, contain, log, metrics }: ExecuteOptions,
  { signal }: Pick<ToolCallContext, 'signal'>,
  { runId, step }: PendingCommand,
  resolved: ResolvedCommand,
): Promise<CommandResult> {
  log.info('command started', { run_id: runId, step });
  const spec = commandSpec(resolved, { redactor, contain, interactive: false });
  const result = await runCommand(spec, { signal });
  const { exit_code, timed_out, aborted, duration_seconds } = result;
  log.info('command ended', { run_id: runId, step, exit_code, timed_out, aborted, duration_seconds });
  metrics
    .counter('kairos_commands_total', 'Commands that the server ran, by how they ended.')
    .add({ end: aborted ? 'cancelled' : timed_out ? 'timed out' : exit_code === 0 ? 'zero' : 'other' });
  return result;
}

/** The ordinary answer to a call without a solution: the current step, with a new challenge. */
function ask(ctx: OperationContext, { uri }: NextInput, runId: string): Promise<RunFields> {
  return next(ctx, { uri, run_id: runId });
}

function remark(answer: RunFields, words: string): RunFields {
  return { ...answer, message: [answer.message, words].filter(Boolean).join(' ') };
}

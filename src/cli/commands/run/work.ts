import { randomUUID } from 'node:crypto';
import { escapeForTerminal } from '../../../base/escape.ts';
import { type CommandResult, runCommand } from '../../../host/commands/run-command.ts';
import {
  commandSpec,
  finishedData,
  type ResolvedCommand,
  type ShellDefinition,
  shellSolution,
  startedData,
} from '../../../host/commands/shell-step.ts';
import { signalExitCode } from '../../../host/system.ts';
import type { EntryData, EntryKind } from '../../../ledger/entry.ts';
import { type CommandStart, claimStart, next, record, skipStep } from '../../../operations/next.ts';
import { reportOfRun } from '../../../operations/report.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { Assurance } from '../../../protocol/schema.ts';
import { timeline } from '../../../report/timeline.ts';
import type { RunState } from '../../../run/state.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import { MESSAGES } from '../../../run/wording.ts';
import { type AskingStation, stepOf } from './questions.ts';
import { askQuestion, menu, type RunSession, STOPS, type Stop } from './session.ts';

/** The result of work on a station: the engine's answer, or why the run stops. */
export type Solved =
  | { kind: 'fields'; fields: RunFields; assurance: Assurance | null }
  | Stop
  | { kind: 'again' };

/** What is needed to work on the pending station. */
export interface StepContext {
  session: RunSession;
  state: RunState;
  station: AskingStation;
  /** The newest answer of the engine, with the challenge to bind to. */
  fields: RunFields;
  /** A person chose to retry, so the command runs without another question. */
  triesAgain: boolean;
  /** Variables of the permit: the parameters of the proposal. */
  environment?: Record<string, string>;
  /** The gate allows the step, and its permit isn't used yet. */
  hasPermit?: boolean;
}

/** Adds the challenge's nonce and hash to a payload, and submits it. */
export async function submit(
  { session, state, station, fields }: StepContext,
  payload: object,
  assurance: Assurance,
  prelude: { kind: EntryKind; data: EntryData }[] = [],
  /** The payload before it was redacted, if it was. */
  given?: object,
): Promise<Solved> {
  const { nonce, proof_hash } = fields.challenge ?? {};
  const answer = await next(
    session.ctx,
    {
      uri: stepUri(state.chainId, station.step),
      run_id: session.runId,
      solution: { ...payload, nonce, proof_hash },
    },
    { assurance, prelude, ...(given === undefined ? {} : { given }) },
  );
  return { kind: 'fields', fields: answer, assurance };
}

/** What a stop offers here: an optional step may be skipped. */
export function actionsFor({ station }: StepContext, first: 'run' | 'retry') {
  const skippable = station.kind === 'proof' && !station.demand.required;
  return [first, 'details', ...(skippable ? (['skip'] as const) : []), 'abort'] as const;
}

/** Asks for a reason, records it and skips an optional step. */
export async function skip(work: StepContext): Promise<Solved> {
  const { session, station } = work;
  const reason = await askQuestion(session, {
    kind: 'text',
    name: 'skip',
    step: stepOf(session.content, station),
    message: 'Why is this step skipped?',
    check: (text) => text.trim().length > 0 || 'A reason is needed.',
  });
  if (reason.kind === 'stop') return reason;
  if (reason.kind === 'interrupted') return { kind: 'again' };
  return {
    kind: 'fields',
    fields: await skipStep(session.ctx, session.runId, String(reason.value)),
    assurance: null,
  };
}

/** After Ctrl-C or a declined command: offers to retry, show details, skip an optional step or stop. */
export async function afterInterrupt(work: StepContext, message = 'Interrupted. What now?'): Promise<Solved> {
  const { session, station, state } = work;
  const choice = await menu(session, stepOf(session.content, station), message, actionsFor(work, 'retry'));
  if (choice === 'retry') {
    session.triesAgain = state.at;
    return { kind: 'again' };
  }
  if (choice === 'skip') return skip(work);
  if (choice === 'details') {
    await details(work);
    return afterInterrupt(work, message);
  }
  // Without a person to choose, the signal ends the run.
  if (choice === null) return STOPS.signal(signalExitCode('SIGINT'));
  return typeof choice === 'string' ? STOPS.aborted() : choice;
}

/**
 * Prints the last attempt at the step as the record has it, redacted: command, exit code, output and refusal. Before the first
 * attempt: the step's whole demand.
 */
export async function details({ session, station }: StepContext): Promise<Solved> {
  const { ctx, runId, reporter } = session;
  const entries = await ctx.store.readEntries(runId);
  const ofStep = entries.filter(({ data }) => data.step === station.step);
  const last = ofStep.findLastIndex(({ kind }) => kind === 'proof.rejected' || kind === 'command.finished');
  if (last !== -1) {
    const begun = ofStep.findLastIndex(({ kind }, at) => kind === 'command.started' && at < last);
    const { revisions } = await reportOfRun(ctx, (await ctx.store.findRun(runId))!);
    const told = new Set(ofStep.slice(begun === -1 ? last : begun, last + 1).map(({ seq }) => seq));
    const items = timeline(entries, revisions, true).filter(({ seq }) => told.has(seq));
    const lines = items.flatMap(({ text, details: under }) => [text, ...under.map((line) => `    ${line}`)]);
    reporter.note(escapeForTerminal(lines.join('\n'), { keepNewlines: true, keepTabs: true }));
    return { kind: 'again' };
  }
  const asked = station.demand.type === 'sampling' ? {} : { proof_of_work: station.demand };
  session.reporter.note(JSON.stringify({ ...station.block, ...asked }, null, 2));
  return { kind: 'again' };
}

/** The start of the pending step's command, after a person agreed to repeat it if its outcome is unknown. */
export function commandStartOf({ runId, at, inDoubt }: RunState): CommandStart {
  return { runId, station: at, repeats: inDoubt?.attempt };
}

/** What running a command gave: the solution, and the entry that records it. */
interface CommandRun {
  solution: ReturnType<typeof shellSolution>;
  finished: EntryData;
  result: CommandResult;
}

/** Shows a command before anything is asked about it, and which of its variables have no value. */
export async function announceCommand(
  { reporter, ctx }: RunSession,
  { info, missing }: ResolvedCommand,
): Promise<void> {
  await reporter.command({ ...info, cwd: ctx.redact(info.cwd) });
  if (missing.length > 0) reporter.note(`Not set in the environment: ${missing.join(', ')}`);
}

/**
 * Runs a command for a step and shows its output. Ctrl-C ends the command. Records its start; the caller records its end with
 * the verdict. `mark`: extra data of both entries, for a command other than the step's own. `isSecret`: a secret is captured from
 * its output, so that is neither shown nor recorded here. `state`: the run that the person was asked about, for the step's own
 * command. Null: another session has started the command or moved the run on since, so it was not run.
 */
export async function runShellStep(
  session: RunSession,
  step: number,
  shell: ShellDefinition,
  resolved: ResolvedCommand,
  { isSecret = false, mark = {}, state }: { isSecret?: boolean; mark?: EntryData; state?: RunState } = {},
): Promise<(CommandRun & { interrupted: boolean }) | null> {
  const { ctx, runId, reporter, interrupts, redactor, contain } = session;
  const attempt = randomUUID();
  const interactive = resolved.interactive && session.hasTerminal;
  const started = { ...startedData(step, attempt, resolved.info, ctx.redact), ...mark };
  if (state === undefined) await record(ctx, runId, 'command.started', started);
  else if (!(await claimStart(ctx, commandStartOf(state), () => started))) return null;
  const spec = commandSpec(resolved, { redactor, contain, interactive });
  const { value: result, interrupted } = await interrupts.during(async ({ stop, kill }) => {
    const hooks = { signal: stop, kill };
    if (interactive) return interrupts.handOver(() => runCommand(spec, hooks));
    const ended = reporter.running(resolved.info.timeoutSeconds);
    const onOutput = (stream: 'stdout' | 'stderr', text: string) => {
      if (stream === 'stderr' || !isSecret) reporter.output(stream, text);
    };
    return runCommand(spec, { ...hooks, onOutput }).finally(ended);
  });
  if (isSecret && result.stdout !== null && result.stdout.bytes > 0) reporter.note(MESSAGES.outputHidden);
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
    finished: { ...finishedData(step, attempt, shell, result, isSecret), ...mark },
  };
}

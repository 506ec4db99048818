import { formatDuration } from '../../../base/duration.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { type CommandInfo, resolveCommand } from '../../../host/commands/shell-step.ts';
import { loadAnswerTools, otherSecrets } from '../../../operations/answer.ts';
import { isTrusted, type OperationContext } from '../../../operations/context.ts';
import { record } from '../../../operations/next.ts';
import type { SettledPlace } from '../../../operations/resume.ts';
import type { RollbackPlan } from '../../../operations/rollback.ts';
import { learnAgain, lostSecrets, stillNeeded } from '../../../operations/run/inputs.ts';
import type { ActorOptions, Call } from '../../command.ts';
import type { Host } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { withPrompter } from '../../terminal/choose-prompter.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import { keyValues } from '../../terminal/layout.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { reportQuestions } from '../run/ends.ts';
import { askInputs, givenInputs, type InputOptions } from '../run/inputs.ts';
import { openSession } from '../run/open-session.ts';
import { RUN_EXIT, type RunSession, type Stop } from '../run/session.ts';
import { rollBackStep, rollbackEnvironment } from '../run/step-rollback.ts';
import { requireTrust, type TrustGiven } from '../run/trust-gate.ts';

export type RollbackCall = Call<unknown[], RollbackOptions>;

/** Rolls back a step by command or by hand: asks for trust, runs it and returns the exit code. */
export async function rollBack(
  ctx: OperationContext,
  host: Host,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<number> {
  return askingFor(call, async (prompter, interrupts) => {
    const trust = await trustOf(ctx, call, prompter, plan);
    if (trust !== null && 'kind' in trust) return reportStop(call, trust, prompter);
    const known = await withSecrets(ctx, call, prompter, plan);
    if ('kind' in known) return reportStop(call, known, prompter);
    const session = await rollbackSession(ctx, host, call, known, { prompter, interrupts });
    await recordTrust(session, known, trust);
    const end = await rollBackStep(session, known);
    if (end.kind === 'stop') return reportStop(call, end, prompter);
    return end.done.succeeded ? EXIT.ok : EXIT.failed;
  });
}

/** Calls `work` with the prompter for a rollback, and closes the prompter afterwards. */
export function askingFor<T>(
  call: RollbackCall,
  work: (prompter: Prompter, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  const { input, yes } = call.options;
  return withPrompter(call, { noInput: input === false, yes: yes === true }, work);
}

/** The plan with the secrets that the run's commands get: their values are on no record, so they are given again. */
export async function withSecrets(
  ctx: OperationContext,
  { options, io }: RollbackCall,
  prompter: Prompter,
  plan: RollbackPlan,
): Promise<RollbackPlan | Stop> {
  const { revision, state, environment } = plan;
  const declared = lostSecrets(ctx, plan);
  if ((plan.demand.type !== 'shell' && plan.verification === null) || Object.keys(declared).length === 0)
    return plan;
  const given = stillNeeded(plan, declared, await givenInputs(declared, options, io));
  const { title } = revision.content;
  const asked = await askInputs(
    prompter,
    { title, declared, isOther: await otherSecrets(ctx, state) },
    given,
    await loadAnswerTools(revision.content),
  );
  if (asked.kind === 'stop') return asked;
  const secrets = asked.inputs as Record<string, string>;
  const digests = await learnAgain(ctx, state, secrets, plan.moveTo !== null);
  return { ...plan, digests, environment: { ...environment, ...secrets } };
}

/** Asks for trust when the rollback runs a command. A rollback by hand needs none. */
export async function trustOf(
  ctx: OperationContext,
  call: RollbackCall,
  prompter: Prompter,
  { revision, candidate: { rollback }, state }: RollbackPlan,
): Promise<TrustGiven | Stop> {
  if (rollback.strategy !== 'command' && rollback.verify === undefined) return null;
  return requireTrust(ctx, call, prompter, { revision, kept: true, origin: `run ${state.runId}` });
}

export async function rollbackSession(
  ctx: OperationContext,
  host: Host,
  call: RollbackCall,
  { revision, state, place }: RollbackPlan,
  parts: Pick<RunSession, 'prompter' | 'interrupts'>,
): Promise<RunSession> {
  return openSession(ctx, host, call, {
    ...parts,
    tools: await loadAnswerTools(null),
    runId: state.runId,
    subject: {
      revision,
      kept: true,
      origin: `run ${state.runId}`,
      from: state.at,
      isProposed: false,
      inDoubt: null,
      shown: null,
      declared: {},
      settled: { place: place as SettledPlace['place'], moveTo: null },
    },
  });
}

async function recordTrust({ ctx, runId }: RunSession, { revision }: RollbackPlan, trust: TrustGiven) {
  if (trust === null || trust.how === 'stored') return;
  await record(ctx, runId, 'trust.given', { digest: revision.digest, how: trust.how, by: ctx.caller.actor });
}

/** An answers file belongs to a run, so it can't answer the questions of a rollback. */
const HOW =
  'Answer at a terminal, or use --trust DIGEST to trust the content, --yes to confirm the rollback and --input NAME=VALUE for a secret.';

/** Reports why the rollback stopped. Returns the exit code. */
export function reportStop(
  call: RollbackCall,
  { code, reason, questions }: Stop,
  { unanswered, cause, interactive }: Pick<Prompter, 'unanswered' | 'cause' | 'interactive'>,
): number {
  if (code === RUN_EXIT.inputNeeded)
    reportQuestions(call, questions ?? unanswered, null, { cause, interactive, how: HOW });
  if (call.output.json) call.output.object({ event: 'stopped', exit_code: code, reason });
  else call.output.note(reason);
  return code;
}

export interface RollbackOptions extends InputOptions, ActorOptions {
  dryRun?: boolean;
  yes?: boolean;
  /** False: `--no-input`. */
  input: boolean;
  trust?: string[];
  workdir?: string;
  here?: boolean;
  contain?: boolean;
}

/** `--dry-run`: prints how the step would be rolled back and what the gate decides now. Records nothing. */
export async function rollbackPreview(
  ctx: OperationContext,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<number> {
  const { candidate, answer, demand, environment, revision, chain, state } = plan;
  const { rollback, station, permit, inDoubt } = candidate;
  const command: CommandInfo | null =
    demand.type === 'shell'
      ? (
          await resolveCommand(
            ...rollbackEnvironment(call.io.env, plan.place!.workdir!, environment, demand.shell),
          )
        ).info
      : null;
  const trusted = await isTrusted(ctx, chain ?? revision);
  const { approvals, reasons, decision, approval_class } = answer;
  if (call.output.json) {
    call.output.object({
      run_id: state.runId,
      step: station.step,
      strategy: rollback.strategy,
      command,
      chain:
        chain === null ? null : { uri: rollback.chain_uri, slug: chain.content.slug, digest: chain.digest },
      verify: rollback.verify ?? null,
      deadline_ms: rollback.deadline_ms ?? null,
      failed_at: permit.failedAt,
      in_doubt: inDoubt,
      under_way: state.gate.openRollback !== null,
      trusted,
      gate: { decision, approval_class, approvals, reasons },
    });
    return EXIT.ok;
  }
  const rows: [string, string][] = [
    ['step', String(station.step)],
    ['failed', inDoubt ? `not known; permitted ${permit.failedAt}` : permit.failedAt],
    ['strategy', rollback.strategy],
    ...(command === null
      ? []
      : ([
          ['command', command.cmd],
          ['runs in', command.cwd],
          ['timeout', `${command.timeoutSeconds} s`],
          ['environment', command.env.join(', ') || 'none'],
          ...(command.danger === null ? [] : ([['careful', command.danger]] as [string, string][])),
        ] as [string, string][])),
    ...(chain === null
      ? []
      : ([['protocol', `${chain.content.slug} ${chain.digest}`]] as [string, string][])),
    ['verified by', rollback.verify ?? 'nothing'],
    [
      'deadline',
      rollback.deadline_ms === undefined
        ? 'none'
        : `within ${formatDuration(rollback.deadline_ms)} of the failure`,
    ],
    ['trusted', trusted ? 'yes' : 'no'],
    ['the gate', `${decision}, ${approvals.given} of ${approvals.needed} approvals`],
  ];
  call.output.print(await keyValues(rows, call.output));
  for (const { code, pointer, message } of reasons)
    call.output.print(`  ${code}  ${escapeForTerminal(pointer)}  ${message}`);
  if (state.gate.openRollback !== null)
    call.output.print('A rollback was begun already and its outcome is unknown.');
  call.output.print('\nNothing was done.');
  return EXIT.ok;
}

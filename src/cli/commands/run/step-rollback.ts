import { zonedTime } from '../../../base/duration.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { dangerOf, resolveCommand, type ShellDefinition } from '../../../host/commands/shell-step.ts';
import type { EntryData } from '../../../ledger/entry.ts';
import { record } from '../../../operations/next.ts';
import { beginRollback, endRollback, type RollbackPlan } from '../../../operations/rollback.ts';
import type { RollbackReport } from '../../../run/decide/rollback.ts';
import type { RollbackDoneData } from '../../../run/entry-data.ts';
import { DANGER_PHRASE, stepOf } from './questions.ts';
import { askQuestion, askYes, RUN_EXIT, type RunSession, STOPS, type Stop, stop } from './session.ts';
import { announceCommand, runShellStep } from './work.ts';

/** The outcome of a rollback, or why it stopped. */
export type RollbackEnd = { kind: 'rolled-back'; done: RollbackDoneData } | Stop;

type Seen = Pick<RollbackReport, 'succeeded' | 'assurance' | 'observed'>;

/** Rolls back a step by its command or by hand: asks for consent, asks the gate, does it and records the outcome. */
export async function rollBackStep(session: RunSession, plan: RollbackPlan): Promise<RollbackEnd> {
  const { ctx, runId } = session;
  if (plan.answer.decision === 'ALLOW') {
    const refused = await consent(session, plan);
    if (refused !== null) return refused;
  }
  const { answer, order } = await beginRollback(ctx, plan, plan.state.gate.openRollback !== null);
  if (order === null) return notAllowed(session, plan, answer);
  const seen =
    order.demand.type === 'shell'
      ? await byCommand(session, plan, order.demand.shell)
      : await byHand(session, plan);
  if ('kind' in seen) return seen;
  const verify = seen.succeeded ? await verified(session, plan) : null;
  const succeeded = seen.succeeded && verify?.succeeded !== false;
  const assurance = verify?.succeeded === true ? 'observed' : seen.assurance;
  const report = { ...seen, permitId: order.permitId, succeeded, assurance, verify };
  const done = await endRollback(ctx, runId, report);
  session.reporter.rolledBack(done);
  return { kind: 'rolled-back', done };
}

/** The stop for a rollback on hold, or a denied one. */
export function notAllowed(
  { ctx, reporter, runId, content }: Pick<RunSession, 'ctx' | 'reporter' | 'runId' | 'content'>,
  { candidate: { station } }: Pick<RollbackPlan, 'candidate'>,
  { decision, reasons, approvals, proposal_hash: hash }: RollbackPlan['answer'],
): Stop {
  const { step } = station;
  if (decision === 'HOLD') {
    const command = ctx.commandLine(['proposal', 'approve', runId, hash ?? '']);
    const again = ctx.commandLine(['rollback', runId, String(step)]);
    const reason = `On hold: ${approvals.given} of ${approvals.needed} approvals of this rollback. Another person approves with: ${command}; then run: ${again}`;
    return stop(RUN_EXIT.inputNeeded, reason, [
      { id: `${step}.approval`, kind: 'confirm', message: reason, step: stepOf(content, station) },
    ]);
  }
  for (const { code, pointer, message } of reasons)
    reporter.note(`${code} ${escapeForTerminal(pointer)} ${message}`);
  return stop(RUN_EXIT.proofFailed, 'The rollback is denied; nothing was rolled back.');
}

/** Shows the rollback and asks. A dangerous command needs a typed phrase; an unknown outcome needs a person's yes. Null: go ahead. */
async function consent(session: RunSession, plan: RollbackPlan): Promise<Stop | null> {
  const { candidate, demand } = plan;
  const step = stepOf(session.content, candidate.station);
  const refused = await confirmDoubt(session, plan);
  if (refused !== null) return refused;
  if (demand.type !== 'shell') {
    // A person must be present before the permit is used.
    const isThere = session.prompter.backEnd === 'rich' || session.prompter.backEnd === 'plain';
    if (session.yes && isThere) return null;
    const message = 'Roll this step back by hand now?';
    return askYes(session, { kind: 'confirm', name: 'undo', step, message, default: true, byHand: true });
  }
  const resolved = await resolveHere(session, plan, demand.shell);
  await announceCommand(session, resolved);
  const danger = dangerOf(demand.shell);
  if (danger !== null) {
    const message = `This rollback ${danger.why} (${danger.what}).`;
    return askYes(session, { kind: 'phrase', name: 'phrase', step, message, phrase: DANGER_PHRASE });
  }
  if (session.yes) return null;
  return askYes(session, {
    kind: 'confirm',
    name: 'undo',
    step,
    message: 'Run this rollback?',
    default: true,
  });
}

/** Asks a person whether to roll back after an unknown outcome of the step or of an earlier rollback. Null: go ahead. */
export async function confirmDoubt(
  session: RunSession,
  { candidate: { station, inDoubt, permit }, state }: RollbackPlan,
): Promise<Stop | null> {
  const { openRollback } = state.gate;
  if (openRollback === null && !inDoubt) return null;
  const message =
    openRollback !== null
      ? `A rollback was begun at ${zonedTime(openRollback.startedAt)} and its outcome is unknown. It may have finished. Begin it again?`
      : `The permit of this step was used at ${zonedTime(permit.consumedAt)} and its outcome is unknown; its command may still be running. Roll back the step?`;
  return askYes(session, {
    kind: 'confirm',
    name: 'doubt',
    step: stepOf(session.content, station),
    message,
    default: false,
    byHand: true,
  });
}

async function byCommand(session: RunSession, plan: RollbackPlan, shell: ShellDefinition): Promise<Seen> {
  const { result } = await run(session, plan, shell, { rollback: true });
  return {
    succeeded: result.exit_code === 0 && !result.timed_out && !result.aborted,
    assurance: 'observed',
    observed: { exit_code: result.exit_code, timed_out: result.timed_out, aborted: result.aborted },
  };
}

/** Asks a person to roll the step back by hand, and for an account of it. */
async function byHand(session: RunSession, { candidate }: RollbackPlan): Promise<Seen | Stop> {
  const step = stepOf(session.content, candidate.station);
  const confirmed = await askQuestion(session, {
    kind: 'confirm',
    name: 'undone',
    step,
    message: 'Roll back by hand what this step may have done. Is it rolled back?',
    default: false,
    byHand: true,
  });
  if (confirmed.kind === 'stop') return confirmed;
  if (confirmed.kind === 'interrupted') return STOPS.aborted();
  if (confirmed.value !== true) return { succeeded: false, assurance: confirmed.assurance, observed: {} };
  const account = await askQuestion(session, {
    kind: 'text',
    name: 'account',
    step,
    message: 'How was it rolled back?',
    check: (text) => text.trim().length > 0 || 'An account is needed.',
  });
  if (account.kind === 'stop') return account;
  if (account.kind === 'interrupted') return STOPS.aborted();
  return {
    succeeded: true,
    assurance: account.assurance,
    observed: { account: session.ctx.redact(String(account.value)) },
  };
}

/** Runs the template's verification command. Returns null without one. */
export async function verified(session: RunSession, plan: RollbackPlan): Promise<RollbackReport['verify']> {
  const shell = plan.verification;
  if (shell === null) return null;
  await session.reporter.command((await resolveHere(session, plan, shell)).info);
  const { result } = await run(session, plan, shell, { rollback: true, verify: true });
  return { exit_code: result.exit_code, succeeded: result.exit_code === 0 && !result.timed_out };
}

async function run(session: RunSession, plan: RollbackPlan, shell: ShellDefinition, mark: EntryData) {
  const resolved = await resolveHere(session, plan, shell);
  const ran = (await runShellStep(session, plan.candidate.station.step, shell, resolved, { mark }))!;
  await record(session.ctx, session.runId, 'command.finished', ran.finished);
  return ran;
}

/** Resolves a command in the step's directory, or in the one that a flag names. */
function resolveHere(session: RunSession, { environment, place }: RollbackPlan, shell: ShellDefinition) {
  const { io } = session;
  const root = place?.workdir ?? session.root;
  return resolveCommand(...rollbackEnvironment(io.env, root, environment, shell));
}

/** The arguments of `resolveCommand`: the command's directory, and the proposal's parameters as variables. */
export function rollbackEnvironment(
  env: NodeJS.ProcessEnv,
  root: string,
  environment: Record<string, string>,
  shell: ShellDefinition,
): Parameters<typeof resolveCommand> {
  return [
    { root, env: { ...env, ...environment } },
    { ...shell, env: [...(shell.env ?? []), ...Object.keys(environment)] },
  ];
}

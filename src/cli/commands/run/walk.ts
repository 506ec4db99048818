import { next, shownAgain } from '../../../operations/next.ts';
import { planRollbackHere } from '../../../operations/rollback.ts';
import { hiddenCaptures } from '../../../operations/run/inputs.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { stepUri } from '../../../protocol/identity.ts';
import { pendingStation, type RunState, type Station, type UnknownOutcome } from '../../../run/state.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import { rollbackOffer } from './guard.ts';
import { doubtQuestion, stepOf } from './questions.ts';
import { askQuestion, askYes, menu, RUN_EXIT, type RunSession, STOPS, type Stop, stop } from './session.ts';
import { solveStation } from './solve.ts';
import { rollBackStep } from './step-rollback.ts';
import { actionsFor, details, type Solved, type StepContext, skip } from './work.ts';

/** Only the content that this session began with is trusted in it. */
const CORRECTED_ELSEWHERE = 'Another session has carried this run over to a corrected protocol.';

/** How a run ended: sealed, or stopped for a reason. */
export type RunEnd = { kind: 'sealed'; fields: RunFields } | Stop;

/** Asks for and submits one proof after another until the run is sealed or stops. `first` is the answer of begin or resume. */
export async function runSteps(session: RunSession, first: RunFields): Promise<RunEnd> {
  let fields = first;
  let announced = 0;
  let digest: string | null = null;
  for (;;) {
    if (session.interrupts.exitCode !== null) return STOPS.signal(session.interrupts.exitCode);
    const { state } = (await loadRun(session.ctx, session.runId))!;
    if (state.sealed !== null) return { kind: 'sealed', fields };
    digest ??= state.digest;
    if (state.digest !== digest) return stop(RUN_EXIT.proofFailed, CORRECTED_ELSEWHERE);
    const pending = pendingStation(state);
    if (pending === null) return { kind: 'sealed', fields };
    if (pending.step !== announced) {
      await announce(session, state, pending);
      announced = pending.step;
    }

    fields = (await shownAgain(session.ctx, state, fields)) ?? fields;
    // Only that step: the run may have moved on while the person chose.
    const triesAgain = session.triesAgain === state.at;
    session.triesAgain = null;
    const solved =
      pending.kind === 'none'
        ? await leave(session, state, pending)
        : await work({ session, state, station: pending, fields, triesAgain });
    if (solved.kind === 'stop') return solved;
    if (solved.kind === 'fields') fields = solved.fields;
  }
}

async function announce({ reporter }: RunSession, state: RunState, pending: Station): Promise<void> {
  const { content } = state;
  const step = content.steps[pending.step - 1];
  await reporter.step({
    index: pending.step,
    count: content.steps.length,
    label: step?.label ?? '',
    uri: stepUri(state.chainId, pending.step),
    content: step?.body ?? '',
    type: pending.kind === 'proof' ? pending.demand.type : null,
    required: pending.kind !== 'proof' || pending.demand.required,
  });
}

/** Completes a step without a demand. Waits only for a person at a terminal, who confirms it. */
async function leave(session: RunSession, state: RunState, pending: Station): Promise<Solved> {
  if (session.prompter.interactive && !session.yes) {
    const refused = await askYes(session, {
      kind: 'confirm',
      name: 'continue',
      step: stepOf(session.content, pending),
      message: 'Continue?',
      default: true,
    });
    if (refused !== null) return refused;
  }
  const fields = await next(session.ctx, {
    uri: stepUri(state.chainId, pending.step),
    run_id: session.runId,
  });
  return { kind: 'fields', fields, assurance: null };
}

async function work(parts: StepContext): Promise<Solved> {
  const { session, state } = parts;
  if (state.inDoubt !== null) {
    const settled = await settleDoubt(session, state.inDoubt);
    if (settled !== null) return settled;
  }
  const solved = await solveStation(parts);
  if (solved.kind !== 'fields') return solved;
  // The seal after a closing comment is reported separately.
  if (solved.fields.next_action === null) return solved;
  session.reporter.verdict(solved.fields, solved.assurance);
  if (solved.fields.error_code == null) {
    const hidden = hiddenCaptures(session.ctx, session.runId, session.content, parts.station.block);
    for (const note of hidden) session.reporter.note(note);
    return solved;
  }
  // Another session has continued the run: its present step follows.
  if (solved.fields.error_code === 'CONFLICT') return solved;
  return afterFailure({ ...parts, fields: solved.fields }, solved);
}

/** Asks before it repeats a command whose end is unknown. Null: run it again. */
async function settleDoubt(session: RunSession, inDoubt: UnknownOutcome): Promise<Solved | null> {
  const answer = await askQuestion(session, doubtQuestion(session.content, inDoubt));
  if (answer.kind === 'stop') return answer;
  if (answer.kind === 'interrupted' || answer.value !== true) return STOPS.aborted();
  return null;
}

/** Offers to retry, show details, skip, roll back or stop. Without a person, a failed proof stops the run. */
async function afterFailure(parts: StepContext, solved: Solved & { kind: 'fields' }): Promise<Solved> {
  const { session, station } = parts;
  const code = solved.fields.cause_code ?? solved.fields.error_code;
  const rollback = await planRollbackHere(session.ctx, session.runId, station.step);
  const choice = await menu(
    session,
    stepOf(session.content, station),
    'The proof was not accepted. What now?',
    rollback === null ? actionsFor(parts, 'retry') : ['undo', ...actionsFor(parts, 'retry')],
  );
  if (choice === 'undo' && rollback !== null) {
    const end = await rollBackStep(session, rollback);
    if (end.kind === 'stop') return end;
    // A rollback that failed, or was not verified, can be tried again.
    return end.done.succeeded ? solved : afterFailure(parts, solved);
  }
  if (choice === 'retry') {
    session.triesAgain = parts.state.at;
    return solved;
  }
  if (choice === 'skip') return skip(parts);
  if (choice === 'details') {
    await details(parts);
    return afterFailure(parts, solved);
  }
  if (choice === null) {
    const { state } = (await loadRun(session.ctx, session.runId))!;
    const offer = rollbackOffer(session, state, station.step);
    const reason = [`Step ${station.step} is not proven.`, ...offer].join(' ');
    return stop(code === 'COMMAND_TIMED_OUT' ? RUN_EXIT.timedOut : RUN_EXIT.proofFailed, reason);
  }
  return typeof choice === 'string' ? STOPS.aborted() : choice;
}

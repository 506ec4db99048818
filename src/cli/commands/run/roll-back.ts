import type { OperationContext } from '../../../operations/context.ts';
import { record } from '../../../operations/run/next.ts';
import type { RollbackPlan } from '../../../operations/run/rollback.ts';
import { loadTools } from '../../../proof/tools.ts';
import type { Call } from '../../command.ts';
import type { Host } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';
import type { RollbackOptions } from '../rollback/options.ts';
import { tellQuestions } from './ends.ts';
import { openSession } from './open-session.ts';
import { RUN_EXIT, type RunSession, type Stop } from './session.ts';
import type { SettledPlace } from './settle-place.ts';
import { requireTrust, type TrustGiven } from './trust-gate.ts';
import { undoStep } from './undo.ts';

export type RollbackCall = Call<unknown[], RollbackOptions>;

/** Undoes a step by command or by hand, from trust to the exit code. */
export async function rollBack(
  ctx: OperationContext,
  host: Host,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<number> {
  return askingFor(call, async (prompter, interrupts) => {
    const trust = await trustOf(ctx, call, prompter, plan);
    if (trust !== null && 'kind' in trust) return tellStop(call, trust, prompter);
    const session = await rollbackSession(ctx, host, call, plan, { prompter, interrupts });
    await recordTrust(session, plan, trust);
    const end = await undoStep(session, plan);
    if (end.kind === 'stop') return tellStop(call, end, prompter);
    return end.done.succeeded ? EXIT.ok : EXIT.failed;
  });
}

/** Asks whoever can be asked about a rollback. */
export function askingFor<T>(
  call: RollbackCall,
  work: (prompter: Prompter, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  const { input, yes } = call.options;
  return withPrompter(call, { noInput: input === false, yes: yes === true }, work);
}

/** A command of the protocol runs here only where its content is trusted; what is done by hand needs no trust. */
export async function trustOf(
  ctx: OperationContext,
  call: RollbackCall,
  prompter: Prompter,
  { revision, undoable: { rollback }, state }: RollbackPlan,
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
    tools: await loadTools({ patterns: false, schemas: false }),
    runId: state.runId,
    subject: {
      revision,
      kept: true,
      origin: `run ${state.runId}`,
      from: state.at,
      settled: { place: place as SettledPlace['place'], moveTo: null },
    },
  });
}

async function recordTrust({ ctx, runId }: RunSession, { revision }: RollbackPlan, trust: TrustGiven) {
  if (trust === null || trust.how === 'stored') return;
  await record(ctx, runId, 'trust.given', {
    digest: revision.digest,
    how: trust.how,
    by: ctx.caller.actor,
  });
}

/** An answers file is of a walk: what is asked here is asked of a person, or is a flag. */
const HOW =
  'Give them in a terminal; --trust DIGEST trusts, and --yes confirms what need not be confirmed by hand.';

/** Says why nothing, or no more, was undone. */
export function tellStop(
  call: RollbackCall,
  { code, reason, questions }: Stop,
  { unanswered }: Pick<Prompter, 'unanswered'>,
): number {
  if (code === RUN_EXIT.inputNeeded) tellQuestions(call, questions ?? unanswered, null, HOW);
  if (call.output.json) call.output.object({ event: 'stopped', exit_code: code, reason });
  else call.output.note(reason);
  return code;
}

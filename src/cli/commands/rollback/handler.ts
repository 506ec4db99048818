import { KairosError } from '../../../base/errors.ts';
import { beginRun } from '../../../operations/begin.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { inPlace, settlePlace } from '../../../operations/resume.ts';
import {
  assuranceOfChain,
  beginRollback,
  endRollback,
  planRollback,
  type RollbackPlan,
} from '../../../operations/rollback.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import type { Handler } from '../../command.ts';
import { type Host, RUN_ASSURANCE, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { namedRun } from '../../views/run.ts';
import { conductRun } from '../run/conduct.ts';
import { confirmDoubt, notAllowed, verified } from '../run/step-rollback.ts';
import { requireTrust } from '../run/trust-gate.ts';
import {
  askingFor,
  type RollbackCall,
  type RollbackOptions,
  reportStop,
  rollBack,
  rollbackPreview,
  rollbackSession,
  trustOf,
  withSecrets,
} from './roll-back.ts';

/**
 * `kairos rollback`. Exit 0 when the step is rolled back, 1 when it isn't (denied, failed, not verified), 3
 * when approvals or answers are needed. With `--json` one event a line, `rolled_back` the last; with
 * `--dry-run` one object.
 */
export const rollbackCommand: Handler<[string, string], RollbackOptions> = (call) =>
  withContext(
    call,
    { maximumAssurance: RUN_ASSURANCE, onRun: true, actor: call.options.actor },
    async (base, host) => {
      const step = Number(call.args[1]);
      if (!/^[1-9]\d{0,5}$/.test(call.args[1]))
        throw new KairosError('USAGE', `${JSON.stringify(call.args[1])} is not a step number`, {
          hint: 'The first step has number 1.',
        });
      const { runId } = await namedRun(base, call.output, call.args[0]);
      const { ctx, plan } = await planned(base, call, runId, step);
      if (call.options.dryRun) return rollbackPreview(ctx, call, plan);
      return plan.candidate.rollback.strategy === 'chain'
        ? rollBackByChain(ctx, host, call, plan)
        : rollBack(ctx, host, call, plan);
    },
  );

/** A rollback is done where the step was, on that machine; a flag moves the run. */
async function planned(base: OperationContext, { io, options }: RollbackCall, runId: string, step: number) {
  const first = await planRollback(base, runId, step);
  const settled = await settlePlace(base, io, options, {
    runId,
    recorded: first.place,
    words: ['rollback', runId, String(step)],
  });
  const { place, moveTo } = settled;
  const ctx = inPlace(base, settled);
  return { ctx, plan: moveTo === null ? { ...first, place } : await planRollback(ctx, runId, step, place) };
}

/** The run of a rollback's chain, and the permit that allows it. */
interface ChainRun {
  runId: string;
  permitId: string;
}

/**
 * Rolls back a step by running another protocol. That run is separate and needs its own trust. Its id is derived from the
 * permit, so each permit has at most one. A second call resumes that run and records its outcome. Returns the exit code.
 */
async function rollBackByChain(
  ctx: OperationContext,
  host: Host,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<number> {
  const begun = (await existingRun(ctx, plan)) ?? (await permittedRun(ctx, host, call, plan));
  if (typeof begun === 'number') return begun;
  const before = await ctx.store.findRun(begun.runId);
  const code =
    before?.sealedAt == null
      ? await conductRun(ctx, host, call, { kind: 'resume', runId: begun.runId, document: null, onto: null })
      : EXIT.ok;
  const { state } = (await loadRun(ctx, begun.runId)) ?? {};
  if (state?.sealed == null) {
    const { runId } = plan.state;
    const again = ctx.commandLine(['rollback', runId, String(plan.candidate.station.step)]);
    call.output.note(`The rollback isn't finished. Continue with: ${again}`);
    return code;
  }
  const { outcome, head } = state.sealed;
  return quietly(call, async (prompter, interrupts) => {
    const session = await rollbackSession(ctx, host, call, plan, { prompter, interrupts });
    const walked = outcome === 'success';
    const known = walked ? await withSecrets(ctx, call, prompter, plan) : plan;
    if ('kind' in known) return reportStop(call, known, prompter);
    const verify = walked ? await verified(session, known) : null;
    const done = await endRollback(ctx, plan.state.runId, {
      permitId: begun.permitId,
      succeeded: walked && verify?.succeeded !== false,
      assurance: verify?.succeeded === true ? 'observed' : assuranceOfChain(state),
      observed: { chain_run_id: begun.runId, outcome, ledger_head: head },
      verify,
    });
    session.reporter.rolledBack(done);
    return done.succeeded ? EXIT.ok : EXIT.failed;
  });
}

/** The run that an earlier call began for this rollback, or null. */
async function existingRun(ctx: OperationContext, { state }: RollbackPlan): Promise<ChainRun | null> {
  const { openRollback } = state.gate;
  if (openRollback?.chainRunId == null || (await ctx.store.findRun(openRollback.chainRunId)) === null)
    return null;
  return { runId: openRollback.chainRunId, permitId: openRollback.permitId };
}

/** Asks for trust and confirms unknown outcomes, then uses the permit and begins the run. A number is the exit code of a stop. */
async function permittedRun(
  ctx: OperationContext,
  host: Host,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<ChainRun | number> {
  return quietly(call, async (prompter, interrupts) => {
    const session = await rollbackSession(ctx, host, call, plan, { prompter, interrupts });
    const chain = { revision: plan.chain!, kept: true, origin: `the rollback of run ${plan.state.runId}` };
    const stops = [
      () => requireTrust(ctx, call, prompter, chain),
      () => trustOf(ctx, call, prompter, plan),
      () => confirmDoubt(session, plan),
    ];
    for (const check of plan.answer.decision === 'ALLOW' ? stops : []) {
      const found = await check();
      if (found !== null && 'kind' in found) return reportStop(call, found, prompter);
    }
    const { answer, order } = await beginRollback(ctx, plan, plan.state.gate.openRollback !== null);
    if (order === null) return reportStop(call, notAllowed(session, plan, answer), prompter);
    // Begun before anything can fail, so that a second call finds the run.
    await beginRun(ctx, chain.revision, { runId: order.chainRunId! });
    return { runId: order.chainRunId!, permitId: order.permitId };
  });
}

/** Asks only at a terminal, because piped answers belong to the run of the chain. */
function quietly<T>(call: RollbackCall, work: Parameters<typeof askingFor<T>>[1]): Promise<T> {
  const input = call.options.input && call.io.stdin.isTTY === true;
  return askingFor({ ...call, options: { ...call.options, input } }, work);
}

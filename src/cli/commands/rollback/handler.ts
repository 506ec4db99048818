import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { planRollback } from '../../../operations/run/rollback.ts';
import type { Handler } from '../../command.ts';
import { RUN_REACH, withContext } from '../../context.ts';
import { rollbackPreview } from '../run/preview-rollback.ts';
import { type RollbackCall, rollBack } from '../run/roll-back.ts';
import { rollBackByChain } from '../run/roll-back-by-chain.ts';
import { inPlace, settlePlace } from '../run/settle-place.ts';
import { storedRun } from '../stored-run.ts';
import type { RollbackOptions } from './options.ts';

/**
 * `kairos rollback`. Exit 0 when the step is rolled back, 1 when it isn't (denied, failed, not verified), 3
 * when approvals or answers are needed. With `--json` one event a line, `rolled_back` the last; with
 * `--dry-run` one object.
 */
export const rollbackCommand: Handler<[string, string], RollbackOptions> = (call) =>
  withContext(call, { reach: RUN_REACH, onRun: true }, async (base, host) => {
    const step = Number(call.args[1]);
    if (!/^[1-9]\d{0,5}$/.test(call.args[1]))
      throw new KairosError('USAGE', `${JSON.stringify(call.args[1])} is not a step number`);
    const { runId } = await storedRun(base, call.args[0]);
    const { ctx, plan } = await planned(base, call, runId, step);
    if (call.options.dryRun) return rollbackPreview(ctx, call, plan);
    return plan.undoable.rollback.strategy === 'chain'
      ? rollBackByChain(ctx, host, call, plan)
      : rollBack(ctx, host, call, plan);
  });

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

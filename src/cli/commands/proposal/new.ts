import { randomUUID } from 'node:crypto';
import { KairosError } from '../../../base/errors.ts';
import { fillTemplate } from '../../../gate/fill.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { templateOf } from '../../../run/decide/guard.ts';
import { pendingStation } from '../../../run/state.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos proposal new`: the filled template as a JSON document, to complete and submit. Changes nothing. */
export const proposalNewCommand: Handler<[string], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await storedRun(ctx, call.args[0]);
    const { state } = (await loadRun(ctx, runId))!;
    const station = state.sealed === null ? pendingStation(state) : null;
    const template = templateOf(station);
    if (station?.kind !== 'proof' || template === undefined)
      throw new KairosError('INVALID_INPUT', `the pending step of run ${runId} has no proposal`, {
        hint: `See where it stands with: ${ctx.commandLine(['runs', 'show', runId])}`,
      });
    const filling = { proposalId: randomUUID(), actor: ctx.caller.actor, now: ctx.clock() };
    const draft = fillTemplate(template, station.demand, filling);
    call.output.document(`${JSON.stringify(draft, null, 2)}\n`, { json: true });
    return EXIT.ok;
  });

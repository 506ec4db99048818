import { KairosError } from '../../../base/errors.ts';
import { record } from '../../../operations/run/next.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos runs note`. With `--json`: `{run_id, noted}`. */
export const runsNoteCommand: Handler<[string, string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const [reference, text] = call.args;
    if (text.trim() === '')
      throw new KairosError('USAGE', 'the note is empty', { hint: 'Write the note as the second argument.' });
    const { runId } = await storedRun(ctx, reference);
    const noted = await record(ctx, runId, 'run.noted', { text: ctx.redact(text), by: ctx.caller.actor });
    if (!noted) {
      throw new KairosError('INVALID_INPUT', `run ${runId} is sealed, and a sealed record takes no note`, {
        hint: 'Keep the note beside the exported record.',
      });
    }
    if (call.output.json) call.output.object({ run_id: runId, noted });
    else call.output.print(`Noted in run ${runId}.`);
    return EXIT.ok;
  });

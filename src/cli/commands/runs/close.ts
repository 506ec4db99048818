import { KairosError } from '../../../base/errors.ts';
import { attest } from '../../../operations/attest.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { answerWalk } from '../answer-walk.ts';
import { storedRun } from '../stored-run.ts';
import type { RunsCloseOptions } from './options.ts';

/** `kairos runs close`. With `--json`: the same object as `kairos attest`. */
export const runsCloseCommand: Handler<[string], RunsCloseOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { reason } = call.options;
    if (reason.trim() === '')
      throw new KairosError('USAGE', '--reason is empty', { hint: 'Say why the run ends.' });
    const run = await storedRun(ctx, call.args[0]);
    if (run.sealedAt !== null) {
      throw new KairosError(
        'INVALID_INPUT',
        `run ${run.runId} is sealed already, with outcome ${run.outcome}`,
      );
    }
    const uri = stepUri(run.chainId, 1);
    return answerWalk(
      ctx,
      call,
      await attest(ctx, { uri, outcome: 'failure', message: reason, run_id: run.runId }),
    );
  });

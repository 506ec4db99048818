import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { MAX_BYTES } from '../../../gate/json/limits.ts';
import { judgeOnly } from '../../../operations/run/propose.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { readSource } from '../../read-source.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos proposal validate`: exit 0 for ALLOW and HOLD, 1 for DENY. Nothing is recorded. */
export const proposalValidateCommand: Handler<[string, string], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { args, io, output } = call;
    const { runId } = await storedRun(ctx, args[0]);
    const answer = await judgeOnly(ctx, runId, await readSource(args[1], io, { maxBytes: MAX_BYTES }));
    if (answer === null)
      throw new KairosError('INVALID_INPUT', `the pending step of run ${runId} has no proposal`);
    const { permit: _, ...rest } = answer;
    if (output.json) output.object(rest);
    else {
      output.print(answer.decision);
      for (const { code, pointer, message } of answer.reasons)
        output.print(`  ${code}  ${escapeForTerminal(pointer)}  ${message}`);
    }
    return answer.reasons.length === 0 ? EXIT.ok : EXIT.failed;
  });

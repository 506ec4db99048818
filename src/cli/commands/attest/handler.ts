import { attest } from '../../../operations/attest.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { readSolutionOption } from '../../solution-input.ts';
import { refuseBlank } from '../../views/solution-template.ts';
import { answerWalk } from '../answer-walk.ts';
import type { SolutionOptions } from '../solution-options.ts';

/** `kairos attest`: closes a run and seals its ledger. */
export const attestCommand: Handler<[string, 'success' | 'failure', string], AttestOptions> = async (
  call,
) => {
  const { args, options, io } = call;
  const [uri, outcome, message] = args;
  refuseBlank(message);
  const solution = await readSolutionOption(options.solution, io);
  return withContext(call, {}, async (ctx) =>
    answerWalk(
      ctx,
      call,
      await attest(ctx, {
        uri,
        outcome,
        message,
        solution,
        run_id: options.run,
        quality_bonus: options.qualityBonus,
        llm_model_id: options.model,
      }),
    ),
  );
};

export interface AttestOptions extends SolutionOptions {
  qualityBonus?: number;
  model?: string;
}

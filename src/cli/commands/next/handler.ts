import { next } from '../../../operations/next.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { readSolutionOption } from '../../solution-input.ts';
import { answerWalk } from '../answer-walk.ts';
import type { SolutionOptions } from '../solution-options.ts';

/** `kairos next`: submits a solution. A solution from the command line is always a claim. */
export const nextCommand: Handler<[string], SolutionOptions> = async (call) => {
  const { args, options, io } = call;
  const [uri] = args;
  const solution = await readSolutionOption(options.solution, io);
  return withContext(call, {}, async (ctx) =>
    answerWalk(ctx, call, await next(ctx, { uri, solution, run_id: options.run })),
  );
};

import { escapeForTerminal } from '../../../base/escape.ts';
import { answerRun, questionOf } from '../../../operations/answer.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import type { Handler } from '../../command.ts';
import { RUN_REACH, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { answerWalk } from '../answer-walk.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos answer`. With `--json`: the walk's object, or `{run_id, question}` without a text. */
export const answerCommand: Handler<[string, string | undefined], unknown> = (call) =>
  // A person at a terminal: what they type there is their own answer.
  withContext(call, { reach: RUN_REACH }, async (ctx) => {
    const { args, output } = call;
    const [reference, text] = args;
    const run = await storedRun(ctx, reference);
    if (text !== undefined) return answerWalk(ctx, call, await answerRun(ctx, run.runId, text));
    const loaded = await loadRun(ctx, run);
    const question = loaded === null ? null : questionOf(loaded.state);
    if (output.json) output.object({ run_id: run.runId, question });
    else if (question === null) output.print('This run asks a person nothing just now.');
    else {
      output.print(escapeForTerminal(question.prompt, { keepNewlines: true }));
      if (question.choices !== null)
        output.print(`One of: ${question.choices.map((choice) => escapeForTerminal(choice)).join(', ')}`);
      output.note(`Answer with: ${ctx.commandLine(['answer', run.runId, 'TEXT'])}`);
    }
    return EXIT.ok;
  });

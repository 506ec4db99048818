import type { OperationContext } from '../../operations/context.ts';
import type { AttestOutput } from '../../operations/schemas.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Call } from '../command.ts';
import { EXIT } from '../io.ts';
import { nextCommands } from '../views/next-command.ts';
import { type WalkAnswerParts, walkAnswerView } from '../views/walk-answer.ts';

/**
 * Prints the result of begin, next or attest: the tool's object, or text for people. A run error ends with 1.
 */
export async function answerWalk(
  ctx: OperationContext,
  { output }: Call<unknown[]>,
  answer: AttestOutput,
): Promise<number> {
  if (output.json) output.object(answer);
  else {
    const commands = nextCommands(answer, ctx.commandLine);
    const step = await shownStep(ctx, answer);
    const view = await walkAnswerView({ answer, step, commands }, output);
    output.print(view);
    if (answer.next_action === null && answer.run_id != null) {
      output.print(`\nTo check the record:\n  ${ctx.commandLine(['verify', answer.run_id])}`);
    }
  }
  return answer.error_code == null ? EXIT.ok : EXIT.failed;
}

/** The label of the shown step in the run's pinned revision. */
async function shownStep(ctx: OperationContext, answer: AttestOutput): Promise<WalkAnswerParts['step']> {
  const uri = answer.current_step?.uri;
  if (uri === undefined || answer.run_id == null) return null;
  const run = await ctx.store.findRun(answer.run_id);
  const revision = run === null ? null : await ctx.store.revisionByDigest(run.chainId, run.digest);
  if (revision === null) return null;
  const { steps } = revision.content;
  const at = steps.findIndex((_, index) => stepUri(revision.chainId, index + 1) === uri);
  const step = steps[at];
  return step === undefined ? null : { label: step.label, place: `${at + 1}/${steps.length}` };
}

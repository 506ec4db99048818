import type { OperationContext } from '../../../operations/context.ts';
import { proposalObject, proposalsOf, waitingProposals } from '../../../operations/proposals.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { table } from '../../terminal/layout.ts';

/**
 * `kairos proposal list`. With `--json`: `{proposals[]}`, oldest first. Without a run: those of every open run of the space that
 * wait for people.
 */
export const proposalListCommand: Handler<[string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { output, args } = call;
    if (args[0] === undefined) return listWaiting(ctx, output);
    const { runId } = await storedRun(ctx, args[0]);
    const proposals = await proposalsOf(ctx, runId);
    if (output.json) output.object({ proposals: proposals.map(proposalObject) });
    else if (proposals.length === 0) output.print('No proposals.');
    else {
      const rows = proposals.map(({ hash, step, actor, decision, used, rollback }) => [
        hash.slice(0, 12),
        rollback ? `${step}, undo` : String(step),
        actor,
        used ? `${decision}, used` : decision,
      ]);
      const heads = [{ head: 'PROPOSAL' }, { head: 'STEP' }, { head: 'BY' }, { head: 'DECISION' }];
      output.print(await table(heads, rows, output));
    }
    return EXIT.ok;
  });

async function listWaiting(ctx: OperationContext, output: Output): Promise<number> {
  const waiting = await waitingProposals(ctx);
  if (output.json)
    output.object({
      proposals: waiting.map(({ run: { runId, slug }, proposal }) => ({
        run_id: runId,
        slug,
        ...proposalObject(proposal),
      })),
    });
  else if (waiting.length === 0) output.print('No proposal waits for approval.');
  else {
    const heads = ['RUN', 'PROTOCOL', 'STEP', 'PROPOSAL', 'BY', 'APPROVALS'].map((head) => ({ head }));
    const rows = waiting.map(({ run, proposal: { hash, step, actor, rollback, approvals } }) => [
      run.runId,
      run.slug,
      rollback ? `${step}, undo` : String(step),
      hash.slice(0, 12),
      actor,
      `${approvals.given} of ${approvals.needed}`,
    ]);
    output.print(await table(heads, rows, output));
  }
  return EXIT.ok;
}

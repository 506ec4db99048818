import type { OperationContext } from '../../../operations/context.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import { currentProposal } from '../../../run/decide/guard.ts';
import type { DecidedProposal } from '../../../run/gate-state.ts';
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
    const proposals = [...(await loadRun(ctx, runId))!.state.gate.proposals.values()];
    if (output.json) output.object({ proposals: proposals.map(asObject) });
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
  const runs = await ctx.store.findRuns({ spaces: [ctx.caller.space], open: true });
  const waiting = [];
  for (const { runId, slug } of runs) {
    const run = await loadRun(ctx, runId);
    if (run === null) continue;
    const current = currentProposal(run.state);
    for (const proposal of run.state.gate.proposals.values())
      if (proposal.decision === 'HOLD' && !proposal.used && (proposal.rollback || proposal === current))
        waiting.push({ run_id: runId, slug, proposal });
  }
  if (output.json)
    output.object({
      proposals: waiting.map(({ run_id, slug, proposal }) => ({ run_id, slug, ...asObject(proposal) })),
    });
  else if (waiting.length === 0) output.print('No proposal waits for approval.');
  else {
    const heads = ['RUN', 'PROTOCOL', 'STEP', 'PROPOSAL', 'BY', 'APPROVALS'].map((head) => ({ head }));
    const rows = waiting.map(({ run_id, slug, proposal: { hash, step, actor, rollback, approvals } }) => [
      run_id,
      slug,
      rollback ? `${step}, undo` : String(step),
      hash.slice(0, 12),
      actor,
      `${approvals.given} of ${approvals.needed}`,
    ]);
    output.print(await table(heads, rows, output));
  }
  return EXIT.ok;
}

/** A proposal as `--json` prints it. */
export function asObject({
  hash,
  text,
  step,
  actor,
  decision,
  approvals,
  permit,
  used,
  rollback,
}: DecidedProposal) {
  return {
    proposal_hash: hash,
    step,
    actor,
    decision,
    approvals,
    permit,
    used,
    rollback,
    proposal: JSON.parse(text),
  };
}

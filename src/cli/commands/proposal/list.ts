import { loadRun } from '../../../operations/run/transact.ts';
import type { DecidedProposal } from '../../../run/gate-state.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos proposal list`. With `--json`: `{proposals[]}`, oldest first. */
export const proposalListCommand: Handler<[string], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { output, args } = call;
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

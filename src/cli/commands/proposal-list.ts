import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../run/context.ts';
import { type DecidedProposal, type GateState, proposalBy } from '../../run/gate-state.ts';
import { loadRun } from '../../run/service/transact.ts';
import type { Handler } from '../command.ts';
import { withContext } from '../context.ts';
import { EXIT } from '../io.ts';
import { keyValues, table } from '../ui/layout.ts';
import { storedRun } from './stored-run.ts';

/** `kairos proposal list`. With `--json`: `{proposals[]}`, in the order in which they came. */
export const proposalListCommand: Handler<[string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { output, args } = call;
    const proposals = [...(await gateOf(ctx, args[0])).proposals.values()];
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

/** `kairos proposal show`. With `--json`: the proposal, what was decided, and the answers to it. */
export const proposalShowCommand: Handler<[string, string | undefined], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { output, args } = call;
    const gate = await gateOf(ctx, args[0]);
    const [, wanted] = args;
    const newest = [...gate.proposals.values()].at(-1) ?? null;
    const proposal = wanted === undefined ? newest : proposalBy(gate, wanted);
    if (proposal === null)
      throw new KairosError('NOT_FOUND', 'the run has no such proposal, or several of them');
    const answers = gate.approvals
      .filter(({ statement }) => statement.proposal_hash === proposal.hash)
      .map(({ statement, source, givenAt }) => ({
        ...statement,
        source,
        given_at: new Date(givenAt).toISOString(),
      }));
    if (output.json) output.object({ ...asObject(proposal), answers });
    else {
      const rows: [string, string][] = [
        ['proposal', proposal.hash],
        ['decision', proposal.decision],
        ['approvals', `${proposal.approvals.given} of ${proposal.approvals.needed}`],
        ...answers.map(({ approver, decision, source }): [string, string] => [
          decision,
          `${approver} (${source})`,
        ]),
        ['content', JSON.stringify(JSON.parse(proposal.text), null, 2)],
      ];
      output.print(await keyValues(rows, output));
    }
    return EXIT.ok;
  });

async function gateOf(ctx: OperationContext, run: string): Promise<GateState> {
  const { runId } = await storedRun(ctx, run);
  return (await loadRun(ctx, runId))!.state.gate;
}

function asObject({ hash, text, step, actor, decision, approvals, permit, used, rollback }: DecidedProposal) {
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

import { KairosError } from '../../../base/errors.ts';
import type { GateAnswer } from '../../../gate/decide.ts';
import { screenFor } from '../../../operations/approve.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { answersTo, proposalObject, proposalOf } from '../../../operations/proposals.ts';
import { judgeNow } from '../../../operations/propose.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import type { DecidedProposal } from '../../../run/gate-state.ts';
import { type ApprovalScreen, screenRows } from '../../../run/present/approval-screen.ts';
import type { RunState } from '../../../run/state.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { keyValues } from '../../terminal/layout.ts';

/**
 * `kairos proposal show`. With `--json`: the proposal, its decision, its approvals and denials, and `now`:
 * the gate's decision at this moment, null when nothing is left to judge. Approvals are counted again,
 * because people approve, change their policy and let time pass without a new submission.
 */
export const proposalShowCommand: Handler<[string, string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { output, args } = call;
    const [run, wanted] = args;
    const { runId } = await storedRun(ctx, run);
    const { state, proposal } = await proposalOf(ctx, runId, wanted);
    const [now, screen] = await judged(ctx, state, proposal, output);
    const approvals = now?.approvals ?? proposal.approvals;
    const answers = answersTo(state, proposal);
    if (output.json) {
      const { decision, reasons } = now ?? {};
      output.object({
        ...proposalObject(proposal),
        approvals,
        now: now === null ? null : { decision, reasons },
        answers,
        screen,
      });
      return EXIT.ok;
    }
    const rows: [string, string][] = [
      ['proposal', proposal.hash],
      ['decision', proposal.used ? `${proposal.decision}, used` : proposal.decision],
      ...nowRows(proposal, now),
      ['approvals', `${approvals.given} of ${approvals.needed}`],
      ...answers.map(({ approver, decision, source, expires_at_ms }): [string, string] => [
        decision,
        // A denial is final.
        `${approver} (${source})${decision === 'deny' ? '' : `, ${until(expires_at_ms, ctx.clock())}`}`,
      ]),
      ...(screen === null ? [] : screenRows(screen, { now: ctx.clock() }).filter(isNew)),
      ['content', JSON.stringify(JSON.parse(proposal.text), null, 2)],
    ];
    output.print(await keyValues(rows, output));
    return EXIT.ok;
  });

/** What stands above the screen already. */
function isNew([label]: readonly [string, string]): boolean {
  return !['proposal', 'approvals', 'the gate'].includes(label);
}

/** Said only where it is something else than what was decided. */
function nowRows({ decision }: DecidedProposal, now: GateAnswer | null): [string, string][] {
  if (now === null || (now.decision === decision && decision !== 'DENY')) return [];
  const reasons = now.reasons.map(({ code, pointer, message }) =>
    [code, pointer, message].filter((part) => part !== '').join(' '),
  );
  return [['now', [now.decision, ...reasons].join('\n')]];
}

function until(end: number, now: number): string {
  return `${now < end ? 'until' : 'expired'} ${new Date(end).toISOString()}`;
}

/** An invalid policy doesn't prevent reading a proposal. */
async function judged(
  ctx: OperationContext,
  state: RunState,
  proposal: DecidedProposal,
  output: Output,
): Promise<[now: GateAnswer | null, screen: ApprovalScreen | null]> {
  try {
    return [await judgeNow(ctx, state, proposal), await screenFor(ctx, state, proposal)];
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'POLICY_UNUSABLE') throw error;
    output.note(`Approvals were not counted again: ${error.message}`);
    return [null, null];
  }
}

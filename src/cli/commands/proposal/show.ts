import { localInstant } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import type { GateAnswer } from '../../../gate/decide.ts';
import { screenFor } from '../../../operations/approve.ts';
import type { OperationContext } from '../../../operations/context.ts';
import {
  answersTo,
  proposalObject,
  proposalOf,
  proposalsOf,
  type WaitingProposal,
  waitingProposals,
} from '../../../operations/proposals.ts';
import { judgeNow } from '../../../operations/propose.ts';
import type { DecidedProposal } from '../../../run/gate-state.ts';
import { type ApprovalScreen, screenRows } from '../../../run/present/approval-screen.ts';
import type { RunState } from '../../../run/state.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { fitColumns, keyValues, table } from '../../terminal/layout.ts';
import { namedRun } from '../../views/run.ts';

/**
 * `kairos proposal show`. With `--json`: the proposal, its decision, its approvals and denials, and `now`:
 * the gate's decision at this moment, null when nothing is left to judge. Approvals are counted again,
 * because people approve, change their policy and let time pass without a new submission.
 */
export const proposalShowCommand: Handler<[string, string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { output, args } = call;
    const [run, wanted] = args;
    const { runId } = await namedRun(ctx, output, run);
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
    output.print(await keyValues(rows, { color: output.color, wrapAt: output.columns }));
    return EXIT.ok;
  });

/** What is printed above the screen already. */
function isNew([label]: readonly [string, string]): boolean {
  return !['proposal', 'approvals', 'the gate'].includes(label);
}

/** Printed only if it differs from the decision. */
function nowRows({ decision }: DecidedProposal, now: GateAnswer | null): [string, string][] {
  if (now === null || (now.decision === decision && decision !== 'DENY')) return [];
  const reasons = now.reasons.map(({ code, pointer, message }) =>
    [code, pointer, message].filter((part) => part !== '').join(' '),
  );
  return [['now', [now.decision, ...reasons].join('\n')]];
}

function until(end: number, now: number): string {
  return `${now < end ? 'until' : 'expired'} ${localInstant(new Date(end).toISOString(), { now })}`;
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

/**
 * `kairos proposal list`. With `--json`: `{proposals[]}`, oldest first. Without a run: those of every open run of the space that
 * wait for people.
 */
export const proposalListCommand: Handler<[string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { output, args } = call;
    if (args[0] === undefined) return listWaiting(ctx, call);
    const { runId } = await namedRun(ctx, output, args[0]);
    const proposals = await proposalsOf(ctx, runId);
    if (output.json) output.object({ proposals: proposals.map(proposalObject) });
    else if (proposals.length === 0) output.print('No proposals.');
    else {
      const rows = proposals.map(({ hash, step, actor, decision, used, rollback }) => [
        hash.slice(0, 12),
        rollback ? `${step}, rollback` : String(step),
        actor,
        used ? `${decision}, used` : decision,
      ]);
      const heads = [{ head: 'PROPOSAL' }, { head: 'STEP' }, { head: 'BY' }, { head: 'DECISION' }];
      output.print(await table(heads, rows, output));
    }
    return EXIT.ok;
  });

async function listWaiting(ctx: OperationContext, { output, io }: Call<unknown[]>): Promise<number> {
  const waiting = await Promise.all(
    (await waitingProposals(ctx)).map(async (item) => ({ ...item, wait: await waitOf(ctx, item) })),
  );
  if (output.json)
    output.object({
      proposals: waiting.map(({ run: { runId, slug }, proposal, wait }) => ({
        run_id: runId,
        slug,
        ...proposalObject(proposal),
        ...wait,
      })),
    });
  else if (waiting.length === 0) output.print('No proposal waits for approval.');
  else {
    const column = (head: string, cell: (item: (typeof waiting)[number]) => string) => ({
      head,
      cells: waiting.map(cell),
    });
    const columns = await fitColumns(
      [
        column('RUN', ({ run }) => run.runId.slice(0, 8)),
        column('PROTOCOL', ({ run }) => run.slug),
        column('STEP', ({ proposal: { step, rollback } }) => (rollback ? `${step}, rollback` : String(step))),
        column('PROPOSAL', ({ proposal }) => proposal.hash.slice(0, 12)),
        column('BY', ({ proposal }) => proposal.actor),
        column('APPROVALS', ({ wait }) => `${wait.approvals.given} of ${wait.approvals.needed}`),
        column('WAITS FOR', ({ proposal, wait }) => waitText(wait, proposal.actor)),
      ],
      {
        // What is piped is not cut.
        width: io.stdout.columns ?? Number.POSITIVE_INFINITY,
        title: 'PROTOCOL',
        least: 12,
        wanted: 24,
        dispensable: [
          { head: 'PROPOSAL' },
          { head: 'APPROVALS' },
          { head: 'BY' },
          column('WAITS FOR', ({ wait: { waits_for, approvals, could_approve: people } }) =>
            waits_for === 'approval' && people !== null
              ? `${approvals.needed - approvals.given} of ${people.length} people`
              : waits_for,
          ),
        ],
      },
    );
    const rows = waiting.map((_, at) => columns.map(({ cells }) => cells[at] ?? ''));
    output.print(await table(columns, rows, output));
  }
  return EXIT.ok;
}

/** What a proposal waits for now, and who could approve it; null where the policy can't be read. */
interface Wait {
  approvals: { needed: number; given: number };
  waits_for: 'approval' | 'resume' | 'a new proposal';
  could_approve: string[] | null;
}

async function waitOf(ctx: OperationContext, { state, proposal }: WaitingProposal): Promise<Wait> {
  const screen = await screenFor(ctx, state, proposal).catch((error: unknown) => {
    if (error instanceof KairosError && error.code === 'POLICY_UNUSABLE') return null;
    throw error;
  });
  const { approvals, answered } = proposal;
  if (screen === null)
    return {
      approvals: { needed: approvals.needed, given: answered.given },
      waits_for: 'approval',
      could_approve: null,
    };
  const { needed, given, could_approve, decision } = screen;
  const waits_for = {
    ALLOW: 'resume',
    HOLD: 'approval',
    DENY: 'a new proposal',
    HALT: 'a new proposal',
  } as const;
  return { approvals: { needed, given }, waits_for: waits_for[decision], could_approve };
}

function waitText({ approvals, waits_for, could_approve: people }: Wait, actor: string): string {
  if (waits_for === 'resume') return `${actor}: approved, resume it`;
  if (waits_for === 'a new proposal') return `${actor}: cannot be used now, a new proposal`;
  if (people === null) return 'approval; the policy cannot be used now';
  return `${approvals.needed - approvals.given} of ${people.join(', ') || 'no approver who can'}`;
}

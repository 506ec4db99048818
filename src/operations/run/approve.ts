import { KairosError } from '../../base/errors.ts';
import { couldBe, isAccountOf, ownerOf } from '../../gate/approval/approvers.ts';
import {
  type ApprovalStatement,
  readStatement,
  statementText,
  verifyStatement,
} from '../../gate/approval/statement.ts';
import type { GateAnswer } from '../../gate/decide.ts';
import type { Approver, LoadedPolicy } from '../../gate/policy/schema.ts';
import {
  decideAnswer,
  judgeAgain,
  type RefusedAnswer,
  refusedAnswer,
  type Unanswerable,
} from '../../run/decide/answer.ts';
import { currentProposal } from '../../run/decide/guard.ts';
import type { ApprovalGivenData } from '../../run/entry-data.ts';
import { type DecidedProposal, proposalBy, proposalKey } from '../../run/gate-state.ts';
import type { RunState } from '../../run/state.ts';
import type { OperationContext } from '../context.ts';
import { gateEnvOf } from './gate-env.ts';
import { loadRun, transact } from './transact.ts';

/** An open run with the proposal that is meant, and the policy that approvals of it are given under. */
export interface Approvable {
  state: RunState;
  proposal: DecidedProposal;
  loaded: LoadedPolicy;
  /** What the gate says to it now; null when the run is past it. */
  judged: GateAnswer | null;
}

/** The proposal of an open run: the one with this hash (or its beginning), else the newest of the pending step. */
export async function approvable(ctx: OperationContext, runId: string, hash?: string): Promise<Approvable> {
  const run = await loadRun(ctx, runId);
  if (run === null) throw new KairosError('RUN_NOT_FOUND', `there is no run ${runId} in this space`);
  const { state } = run;
  if (state.sealed !== null)
    throw new KairosError('INVALID_INPUT', `run ${runId} is sealed: nothing is left to approve in it`);
  const proposal = hash === undefined ? currentProposal(state) : proposalBy(state.gate, hash);
  if (proposal === null)
    throw new KairosError(
      'NOT_FOUND',
      `run ${runId} has ${WANTING[hash === undefined ? 'pending' : 'named']}`,
      {
        hint: `See them with: ${ctx.commandLine(['proposal', 'list', runId])}`,
      },
    );
  const loaded = (await ctx.policy?.(state)) ?? null;
  if (loaded === null)
    throw new KairosError('POLICY_UNUSABLE', 'there is no policy here, so nobody can approve anything', {
      hint: 'Write kairos.policy.yaml in your configuration folder; kairos proposal policy check shows where.',
    });
  const judged = judgeAgain(state, proposal, await gateEnvOf(ctx, state), ctx.clock());
  return { state, proposal, loaded, judged };
}

const WANTING = {
  pending: 'no proposal for its pending step that could still be used',
  named: 'no such proposal, or several of them',
} as const;

/** What an approver says about a proposal, from now until the policy lets it run out. */
export function statementFor(
  { state, proposal, loaded, judged }: Approvable,
  approver: string,
  decision: ApprovalStatement['decision'],
  now: number,
  reason?: string,
): ApprovalStatement {
  return {
    v: 1,
    decision,
    approver,
    proposal_hash: proposal.hash,
    run_id: state.runId,
    step: proposal.step,
    chain_digest: state.digest,
    policy_digest: loaded.digest,
    ...(judged === null || judged.binding === null ? {} : { binding: judged.binding }),
    ...(reason === undefined ? {} : { reason }),
    expires_at_ms: now + loaded.policy.approvals.ttl_ms,
  };
}

/** The approver whose key this is. Throws when the policy has none, or when it is whoever proposes. */
export function approverByKey({ loaded, proposal }: Approvable, key: string): string {
  const owner = ownerOf(loaded.policy, key);
  if (owner === null)
    throw new KairosError('INVALID_INPUT', 'this key belongs to no approver of the policy', {
      hint: 'The policy lists the keys that count; kairos proposal policy check reads it.',
    });
  return refuseProposer(owner.approver, proposal);
}

/** The approver who has this account, where a terminal's answer is one. */
export function approverByAccount(
  { loaded, proposal }: Approvable,
  actor: string,
  decision: ApprovalStatement['decision'],
): string {
  const owner = loaded.policy.approvers.find((approver) => isAccountOf(approver, actor));
  if (owner === undefined)
    throw new KairosError('INVALID_INPUT', `${actor} is no approver of the policy`, {
      hint: 'The policy lists accounts under actors of an approver.',
    });
  if (decision === 'approve' && (!loaded.policy.approvals.terminal || proposal.approvals.needed > 1))
    throw new KairosError('INVALID_INPUT', 'an answer at a terminal does not count for this proposal', {
      hint: 'Sign with an SSH key: --key FILE.',
    });
  return refuseProposer(owner, proposal);
}

/** Sees that an answer can have an effect, before anybody is asked for it. Throws INVALID_INPUT with the reason otherwise. */
export async function requireAnswerable(
  ctx: OperationContext,
  { state, proposal }: Approvable,
  decision: ApprovalStatement['decision'],
): Promise<void> {
  const refused = refusedAnswer(state, proposal, decision, await gateEnvOf(ctx, state), ctx.clock());
  if (refused !== null) throw notTaken(ctx, state, refused, proposal, decision);
}

/**
 * Puts an answer to this proposal on record. Throws INVALID_INPUT, and nothing is recorded, when the signature does not hold
 * or when the gate would not hear it; how many it takes is said when the proposal is judged.
 */
export async function giveApproval(
  ctx: OperationContext,
  { state, proposal, loaded }: Approvable,
  text: string,
  signature: string | null,
): Promise<ApprovalStatement> {
  let signer: string | null = null;
  let statement = readStatement(text);
  if (signature !== null) {
    const verified = verifyStatement(text, signature, loaded.policy);
    if (!verified.ok)
      throw new KairosError('INVALID_INPUT', 'the signature does not hold for this statement and policy', {
        hint: 'Sign the statement byte for byte in the namespace kairos-approval.',
      });
    ({ statement, key: signer } = verified);
  }
  if (statement === null || statement.proposal_hash !== proposal.hash)
    throw new KairosError('INVALID_INPUT', 'the statement is not about this proposal');
  const data: ApprovalGivenData = {
    step: statement.step,
    proposal_hash: statement.proposal_hash,
    decision: statement.decision,
    approver: statement.approver,
    source: signature === null ? 'terminal' : 'ssh',
    key: signer,
    statement: statementText(statement),
    signature,
    expires_at_ms: statement.expires_at_ms,
    by: ctx.caller.actor,
  };
  const [about, key] = [statement, proposalKey(proposal)];
  const { refused } = await transact(ctx, state.runId, (draft) => decideAnswer(draft, key, data, about));
  if (refused !== null) throw notTaken(ctx, state, refused, proposal, statement.decision);
  return statement;
}

/** Why an answer is not taken, and what to do; `show` and `rollback` are the commands for that. */
const REASONS: Record<
  Unanswerable,
  readonly [why: string, hint: (show: string, rollback: string) => string]
> = {
  sealed: ['its run is sealed', () => 'Nothing is added to a sealed record.'],
  used: [
    'its permit has been used',
    (show, rollback) => `What was done is shown by: ${show}. A step that failed is undone with: ${rollback}`,
  ],
  over: ['the run is past it', (show) => `See where the run stands with: ${show}`],
  denied: [
    'it was denied',
    (show) =>
      `The reasons are shown by: ${show}. What is still wanted is proposed anew, or, where they no longer hold, submitted again.`,
  ],
  'denied-now': ['it would be denied now', () => 'What is still wanted is proposed anew.'],
  replaced: [
    'another one was submitted for the step since',
    () => 'The newest is answered; an older one is submitted again first.',
  ],
  'not-asked': ['it needs nobody to approve it', () => 'Only a proposal on hold waits for people.'],
  'said-before': ['the same person has denied it already', () => 'One denial ends it.'],
  uncounted: [
    'the answer would not count',
    () =>
      'The policy says who may answer, with which keys, and until when; an answer names the step, the protocol and the policy as they are.',
  ],
};

function notTaken(
  { commandLine }: OperationContext,
  { runId }: RunState,
  { why, reasons }: RefusedAnswer,
  { hash, step }: DecidedProposal,
  decision: ApprovalStatement['decision'],
): KairosError {
  const [reason, hint] = REASONS[why];
  const told = reasons.map(({ code, message }) => ` ${code} ${message}`).join('');
  const verb = decision === 'approve' ? 'approved' : 'denied';
  return new KairosError(
    'INVALID_INPUT',
    `proposal ${hash.slice(0, 12)} cannot be ${verb}: ${reason}${told === '' ? '' : `:${told}`}`,
    {
      hint: hint(commandLine(['runs', 'show', runId]), commandLine(['rollback', runId, String(step)])),
    },
  );
}

function refuseProposer(approver: Approver, { actor }: DecidedProposal): string {
  if (!couldBe(approver, actor)) return approver.name;
  throw new KairosError('INVALID_INPUT', `${approver.name} has proposed this and cannot approve it`);
}

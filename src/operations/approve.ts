import { programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { couldBe, isAccountOf, ownerOf } from '../gate/approval/count.ts';
import {
  type ApprovalStatement,
  readStatement,
  statementText,
  verifyStatement,
} from '../gate/approval/statement.ts';
import type { GateAnswer } from '../gate/decide.ts';
import type { Approver, LoadedPolicy } from '../gate/policy/schema.ts';
import { decideAnswer, judgeAgain, refusedAnswer } from '../run/decide/answer.ts';
import { currentProposal } from '../run/decide/guard.ts';
import type { ApprovalGivenData } from '../run/entry-data.ts';
import { type DecidedProposal, proposalBy, proposalKey } from '../run/gate-state.ts';
import { approvalScreen } from '../run/present/approval.ts';
import type { ApprovalScreen } from '../run/present/approval-screen.ts';
import type { RunState } from '../run/state.ts';
import { answerError } from './approve-refusals.ts';
import { callerIdentity, type OperationContext } from './context.ts';
import { gateEnvOf } from './run/gate-env.ts';
import { loadRun, requireRun, transact } from './run/transact.ts';

/** An open run with the proposal that is meant, and the policy that approvals of it are given under. */
export interface Approvable {
  state: RunState;
  proposal: DecidedProposal;
  loaded: LoadedPolicy;
  /** The gate's decision now; null when the run is past it. */
  judged: GateAnswer | null;
}

/** The proposal of an open run: the one with this hash (or its beginning), else the newest of the pending step. */
export async function approvable(ctx: OperationContext, runId: string, hash?: string): Promise<Approvable> {
  const run = await requireRun(ctx, runId);
  const { state } = run;
  if (state.sealed !== null)
    throw new KairosError('INVALID_INPUT', `run ${runId} is sealed, so nothing is left to approve`, {
      hint: `See what happened with: ${ctx.commandLine(['report', runId])}`,
    });
  const proposal = hash === undefined ? currentProposal(state) : proposalBy(state.gate, hash);
  if (proposal === null)
    throw new KairosError(
      'NOT_FOUND',
      `run ${runId} has ${WANTING[hash === undefined ? 'pending' : 'named']}`,
      { hint: `See them with: ${ctx.commandLine(['proposal', 'list', runId])}` },
    );
  const loaded = (await ctx.policy?.(state)) ?? null;
  if (loaded === null)
    throw new KairosError('POLICY_UNUSABLE', 'no policy is in effect, so nothing can be approved', {
      hint: `Write kairos.policy.yaml in your configuration folder; ${programName()} policy check shows where.`,
    });
  const judged = judgeAgain(state, proposal, await gateEnvOf(ctx, state), ctx.clock());
  return { state, proposal, loaded, judged };
}

const WANTING = {
  pending: 'no proposal for its pending step that could still be used',
  named: 'no such proposal, or several of them',
} as const;

/** An approver's statement about a proposal, valid until the time limit of the policy. */
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

/** The approver with this key. Throws when the policy has none, or when the approver is the proposer. */
export function approverByKey({ loaded, proposal }: Approvable, key: string): string {
  const owner = ownerOf(loaded.policy, key);
  if (owner === null)
    throw new KairosError('INVALID_INPUT', 'the key belongs to no approver of the policy', {
      hint: `The policy lists the keys that count; ${programName()} policy check reads it.`,
    });
  return refuseProposer(owner.approver, proposal);
}

/** The approver with this account, for an answer at a terminal. Throws when the policy doesn't accept one. */
export function approverByAccount(
  { loaded, proposal }: Approvable,
  actor: string,
  decision: ApprovalStatement['decision'],
): string {
  const owner = loaded.policy.approvers.find((approver) => isAccountOf(approver, actor));
  if (owner === undefined)
    throw new KairosError('INVALID_INPUT', `${actor} is not an approver of the policy`, {
      hint: 'The policy lists accounts under actors of an approver.',
    });
  if (decision === 'approve' && (!loaded.policy.approvals.terminal || proposal.approvals.needed > 1))
    throw new KairosError('INVALID_INPUT', 'an answer at a terminal does not count for this proposal', {
      hint: 'Sign with an SSH key: --key FILE.',
    });
  return refuseProposer(owner, proposal);
}

/** Returns everything that an approver of a recorded proposal must see. Null when the proposal no longer has an effect. */
export async function screenFor(
  ctx: OperationContext,
  state: RunState,
  proposal: DecidedProposal,
): Promise<ApprovalScreen | null> {
  return approvalScreen(state, proposal, await gateEnvOf(ctx, state), ctx.clock());
}

/** The screen of a proposal in its current state; null when the run or the proposal no longer exists. */
export async function screenNow(
  ctx: OperationContext,
  runId: string,
  hash: string,
): Promise<ApprovalScreen | null> {
  const run = await loadRun(ctx, runId);
  const proposal = run === null ? null : proposalBy(run.state.gate, hash);
  return run === null || proposal === null ? null : screenFor(ctx, run.state, proposal);
}

/** Checks that an answer can have an effect, before a person is asked for it. Throws INVALID_INPUT with the reason otherwise. */
export async function requireAnswerable(
  ctx: OperationContext,
  { state, proposal }: Approvable,
  decision: ApprovalStatement['decision'],
): Promise<void> {
  const refused = refusedAnswer(state, proposal, decision, await gateEnvOf(ctx, state), ctx.clock());
  if (refused !== null) throw answerError(ctx, state, refused, proposal, decision);
}

/**
 * Records an answer to this proposal. Throws INVALID_INPUT, and records nothing, when the signature is invalid or the gate
 * would ignore the answer. Whether there are enough approvals is decided when the proposal is judged.
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
      throw new KairosError('INVALID_INPUT', 'the signature is not valid for this statement and policy', {
        hint: 'Sign the statement byte for byte in the namespace kairos-approval.',
      });
    ({ statement, key: signer } = verified);
  }
  if (statement === null || statement.proposal_hash !== proposal.hash)
    throw new KairosError('INVALID_INPUT', 'the statement is not about this proposal', {
      hint: 'Sign the request of this proposal.',
    });
  // A signed text that is redacted afterwards is not signed any more: a denial would be lost.
  if (ctx.redact(text) !== text)
    throw new KairosError(
      'INVALID_INPUT',
      'the answer contains a secret of this machine, and answers are recorded',
      { hint: 'Answer again, without the secret in the reason.' },
    );
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
    by: callerIdentity(ctx.caller),
  };
  const [about, key] = [statement, proposalKey(proposal)];
  const { refused } = await transact(ctx, state.runId, (draft) => decideAnswer(draft, key, data, about));
  if (refused !== null) throw answerError(ctx, state, refused, proposal, statement.decision);
  return statement;
}

function refuseProposer(approver: Approver, { actor }: DecidedProposal): string {
  if (!couldBe(approver, actor)) return approver.name;
  throw new KairosError('INVALID_INPUT', `${approver.name} wrote this proposal and cannot approve it`, {
    hint: 'Ask another approver of the policy.',
  });
}

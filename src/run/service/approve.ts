import { KairosError } from '../../base/errors.ts';
import { isActor, ownerOf } from '../../gate/approval/key.ts';
import { type ApprovalStatement, readStatement, statementText } from '../../gate/approval/statement.ts';
import type { Approver, LoadedPolicy } from '../../gate/policy/schema.ts';
import type { OperationContext } from '../context.ts';
import type { ApprovalGivenData } from '../entry-data.ts';
import type { DecidedProposal } from '../gate-state.ts';
import type { RunState } from '../state.ts';
import { record } from './next.ts';
import { loadRun } from './transact.ts';

/** An open run with the proposal that is meant, and the policy that approvals of it are given under. */
export interface Approvable {
  state: RunState;
  proposal: DecidedProposal;
  loaded: LoadedPolicy;
}

/** The proposal of an open run: the one with this hash (or its beginning), else the newest of the pending step. */
export async function approvable(ctx: OperationContext, runId: string, hash?: string): Promise<Approvable> {
  const run = await loadRun(ctx, runId);
  if (run === null) throw new KairosError('RUN_NOT_FOUND', `there is no run ${runId} in this space`);
  const { state } = run;
  if (state.sealed !== null)
    throw new KairosError('INVALID_INPUT', `run ${runId} is sealed: nothing is left to approve in it`);
  const found = [...state.gate.proposals.values()].filter((proposal) =>
    hash === undefined ? proposal.hash === state.gate.current : proposal.hash.startsWith(hash),
  );
  const [proposal] = found;
  if (proposal === undefined || found.length > 1)
    throw new KairosError('NOT_FOUND', `run ${runId} has no such proposal, or several of them`, {
      hint: 'See them with: kairos proposal list RUN',
    });
  const loaded = (await ctx.policy?.()) ?? null;
  if (loaded === null)
    throw new KairosError('POLICY_UNUSABLE', 'there is no policy here, so nobody can approve anything', {
      hint: 'Write kairos.policy.yaml in your configuration folder; kairos proposal policy check shows where.',
    });
  return { state, proposal, loaded };
}

/** What an approver says about a proposal, from now until the policy lets it run out. */
export function statementFor(
  { state, proposal, loaded }: Approvable,
  approver: string,
  decision: ApprovalStatement['decision'],
  now: number,
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
  const owner = loaded.policy.approvers.find((approver) => isActor(approver, actor));
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

/** Puts an answer on record. A signature is verified first; what the gate makes of it, it says when it judges. */
export async function giveApproval(
  ctx: OperationContext,
  { state, loaded }: Approvable,
  text: string,
  signature: string | null,
): Promise<ApprovalStatement> {
  let key: string | null = null;
  let statement = readStatement(text);
  if (signature !== null) {
    const { verifyStatement } = await import('../../gate/ssh/verify.ts');
    const verified = await verifyStatement(text, signature, loaded.policy);
    if (!verified.ok)
      throw new KairosError('INVALID_INPUT', 'the signature does not hold for this statement and policy', {
        hint: 'Sign the statement byte for byte in the namespace kairos-approval.',
      });
    ({ statement, key } = verified);
  }
  const known = statement !== null && state.gate.proposals.has(statement.proposal_hash);
  if (statement === null || !known || statement.run_id !== state.runId)
    throw new KairosError('INVALID_INPUT', 'the statement is not about a proposal of this run');
  const data: ApprovalGivenData = {
    step: statement.step,
    proposal_hash: statement.proposal_hash,
    decision: statement.decision,
    approver: statement.approver,
    source: signature === null ? 'terminal' : 'ssh',
    key,
    statement: statementText(statement),
    signature,
    expires_at_ms: statement.expires_at_ms,
    by: ctx.caller.actor,
  };
  await record(ctx, state.runId, 'approval.given', data);
  return statement;
}

function refuseProposer(approver: Approver, { actor }: DecidedProposal): string {
  if (!isActor(approver, actor)) return approver.name;
  throw new KairosError('INVALID_INPUT', `${approver.name} has proposed this and cannot approve it`);
}

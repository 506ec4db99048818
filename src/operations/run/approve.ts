import { KairosError } from '../../base/errors.ts';
import { couldBe, isAccountOf, ownerOf, type Uncounted } from '../../gate/approval/count.ts';
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
import { approvalScreen } from '../../run/present/approval.ts';
import type { ApprovalScreen } from '../../run/present/approval-screen.ts';
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

/** Everything that an approver of a recorded proposal has to see; null when there is nothing left that it would do. */
export async function screenFor(
  ctx: OperationContext,
  state: RunState,
  proposal: DecidedProposal,
): Promise<ApprovalScreen | null> {
  return approvalScreen(state, proposal, await gateEnvOf(ctx, state), ctx.clock());
}

/** The screen of a proposal as it stands in the store now; null when its run or itself is gone. */
export async function screenNow(
  ctx: OperationContext,
  runId: string,
  hash: string,
): Promise<ApprovalScreen | null> {
  const run = await loadRun(ctx, runId);
  const proposal = run === null ? null : proposalBy(run.state.gate, hash);
  return run === null || proposal === null ? null : screenFor(ctx, run.state, proposal);
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
  'denied-before': ['the same person has denied it already', () => 'One denial ends it.'],
  'approved-before': ['the same person has approved it already', () => 'Each person counts once.'],
  uncounted: ['the answer would not count', () => 'The policy says who may answer, and with which keys.'],
};

/** Why an answer would not count, and what to do. */
const UNCOUNTED: Record<Uncounted, readonly [why: string, hint: string]> = {
  revoked: ['the key is revoked', 'Sign with another key that the policy lists.'],
  'not-hardware': ['the policy wants a hardware key (sk-…)', 'Sign with a key on a security key.'],
  'not-yet-valid': ['the key is not valid yet', 'The policy says from when on it is (valid_from).'],
  expired: ['the key has expired', 'Sign with another key that the policy lists.'],
  'no-policy': ['there is no policy', 'A policy says who may approve.'],
  'other-proposal': ['it is about another proposal', 'The statement names the proposal by its hash.'],
  'other-step': ['it is about another run or step', 'The statement names the run and the step.'],
  'other-protocol': ['it is about another revision of the protocol', 'Answer the proposal again.'],
  'other-policy': [
    'it was given under another policy',
    'Answer the proposal again, under the policy as it is now.',
  ],
  'other-place': [
    'it is about another command, directory or host',
    'Look at the proposal again, and answer it as it is now.',
  ],
  'unknown-key': [
    'the key belongs to no approver of the policy',
    'kairos proposal policy check lists the keys that count.',
  ],
  'other-approver': [
    'the key or account is not that of the approver it names',
    'Answer under your own name.',
  ],
  proposer: ['its approver has proposed it', 'Somebody else has to approve it.'],
  'run-out': ['it has run out', 'Answer the proposal again.'],
  'no-terminal': ['an answer at a terminal is not enough for it', 'Sign with an SSH key: --key FILE.'],
  'not-in-quorum': [
    'its approver is not among those whom the policy asks',
    'kairos proposal show RUN names who can approve it.',
  ],
};

function notTaken(
  { commandLine }: OperationContext,
  { runId }: RunState,
  { why, reasons, uncounted }: RefusedAnswer,
  { hash, step }: DecidedProposal,
  decision: ApprovalStatement['decision'],
): KairosError {
  const [reason, hint] = REASONS[why];
  if (uncounted !== undefined) {
    const [detail, remedy] = UNCOUNTED[uncounted];
    return new KairosError(
      'INVALID_INPUT',
      `the answer to proposal ${hash.slice(0, 12)} would not count: ${detail}`,
      {
        hint: remedy,
      },
    );
  }
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

import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { keyIdentity } from '../gate/approval/ssh-key.ts';
import { type ApprovalStatement, readStatement, statementText } from '../gate/approval/statement.ts';
import { contentHash } from '../gate/approval/view.ts';
import { readJsonStrictly } from '../gate/json/read.ts';
import { proposalHash } from '../gate/proposal.ts';
import { type ApprovalScreen, screenRows } from '../run/present/approval-screen.ts';
import { type Approvable, requireAnswerable, screenFor } from './approve.ts';
import type { OperationContext } from './context.ts';

const ASK_AGAIN = 'Ask for the request again.';

/** Bytes that a request or an answer may have: a request contains a proposal up to three times. */
export const MAX_EXCHANGE = { maxBytes: 4 * 1024 * 1024 };

/** What an approver elsewhere gets: self-contained, and bound by what they sign. */
export interface ProposalRequest {
  kairos: 'proposal-request';
  v: 1;
  screen: ApprovalScreen;
  /** The proposal itself; its hash is the one that is signed. */
  proposal: Record<string, unknown>;
  /** The public keys that count, by approver. */
  keys: Record<string, string[]>;
}

export interface ProposalAnswer {
  kairos: 'proposal-answer';
  v: 1;
  /** The signed bytes. */
  statement: string;
  /** Armoured SSH signature in the namespace kairos-approval. */
  signature: string;
}

/** Returns the request for a waiting proposal. Throws when it no longer needs an answer. */
export async function proposalRequest(ctx: OperationContext, subject: Approvable): Promise<ProposalRequest> {
  await requireAnswerable(ctx, subject, 'approve');
  const screen = await screenFor(ctx, subject.state, subject.proposal);
  if (screen === null)
    throw new KairosError('INVALID_INPUT', `run ${subject.state.runId} is past this proposal`, {
      hint: `See what happened with: ${ctx.commandLine(['report', subject.state.runId])}`,
    });
  const { policy } = subject.loaded;
  return {
    kairos: 'proposal-request',
    v: 1,
    screen,
    proposal: JSON.parse(subject.proposal.text),
    keys: Object.fromEntries(
      policy.approvers
        .filter(({ name }) => screen.could_approve.includes(name))
        .map(({ name, keys }) => [name, keys.map(({ key }) => keyIdentity(key))]),
    ),
  };
}

/** The approver whose key this is. Throws INVALID_INPUT; `name` is what the message calls the key. */
export function approverInRequest({ keys }: ProposalRequest, key: string, name: string): string {
  const approver = Object.entries(keys).find(([, those]) => those.includes(key))?.[0];
  if (approver !== undefined) return approver;
  throw new KairosError('INVALID_INPUT', `the key ${name} is not one that can approve this`, {
    hint: `Those of ${Object.keys(keys).join(', ') || 'nobody'} can.`,
  });
}

/** What an approver signs about a request. */
export function statementOn(
  { screen }: ProposalRequest,
  {
    approver,
    decision,
    reason,
    now,
  }: Pick<ApprovalStatement, 'approver' | 'decision'> & { reason: string | undefined; now: number },
): ApprovalStatement {
  const { policy } = screen;
  if (policy === null)
    throw new KairosError('INVALID_INPUT', 'the request names no policy', { hint: ASK_AGAIN });
  return {
    v: 1,
    decision,
    approver,
    proposal_hash: screen.proposal_hash,
    run_id: screen.run_id,
    step: screen.step.index,
    chain_digest: screen.protocol.digest,
    policy_digest: policy.digest,
    ...(screen.binding === null ? {} : { binding: screen.binding }),
    ...(reason === undefined ? {} : { reason }),
    expires_at_ms: now + policy.ttl_ms,
  };
}

/** Throws USAGE for a reason that no statement can have. */
export function requireReason(reason: string): void {
  if (reason.trim() === '' || reason.length > 2000)
    throw new KairosError('USAGE', `--reason has ${reason.length} characters`, {
      hint: 'Give a reason of 1 to 2000 characters.',
    });
}

/** The words of an answer, and what proves them. */
export interface SignedStatement {
  /** Canonical JSON: the bytes that are signed. */
  text: string;
  /** Null for an answer typed at a terminal. */
  signature: string | null;
}

/** Signs a statement with the SSH key of a file; with null nothing is signed. Throws KEY_UNUSABLE. */
export async function signedWith(
  statement: ApprovalStatement,
  keyFile: string | null,
): Promise<SignedStatement> {
  const text = statementText(statement);
  if (keyFile === null) return { text, signature: null };
  const { signApproval } = await import('../host/ssh/sign.ts');
  return { text, signature: await signApproval(statement, keyFile) };
}

/** Reads an answer that was signed elsewhere. Its signature is verified when it is given. */
export function readProposalAnswer(
  text: string,
  name: string,
): { statement: ApprovalStatement; answer: ProposalAnswer } {
  const answer = parseExchange(text, name, 'proposal-answer') as unknown as ProposalAnswer;
  const statement = typeof answer.statement === 'string' ? readStatement(answer.statement) : null;
  if (statement === null || typeof answer.signature !== 'string')
    throw new KairosError('INVALID_INPUT', `${name} contains no signed statement`, {
      hint: `Make one with: ${hereCommand(['proposal', 'sign', 'REQUEST', '--key', 'KEY'])}`,
    });
  return { statement, answer };
}

/** Reads a statement signed elsewhere, for one decision. Throws INVALID_INPUT. */
export function readSignedStatement(
  text: string,
  name: string,
  decision: ApprovalStatement['decision'],
): ApprovalStatement {
  const statement = readStatement(text);
  if (statement === null)
    throw new KairosError('INVALID_INPUT', `${name} does not contain a statement about a proposal`, {
      hint: 'It is one line of canonical JSON (RFC 8785), signed byte for byte.',
    });
  if (statement.decision === decision) return statement;
  throw new KairosError(
    'INVALID_INPUT',
    `the statement's decision is ${statement.decision}, not ${decision}`,
    { hint: `Submit it with: ${hereCommand(['proposal', statement.decision, statement.run_id])}` },
  );
}

/** A request whose hashes are those of its content: what is shown is what is signed. */
export function readProposalRequest(text: string, name: string): ProposalRequest {
  const request = parseExchange(text, name, 'proposal-request') as unknown as ProposalRequest;
  const { screen, proposal, keys } = request;
  if (!isObject(screen) || !isObject(proposal) || !isObject(keys))
    throw new KairosError('INVALID_INPUT', `${name} is not a whole proposal request`, { hint: ASK_AGAIN });
  if (proposalHash(proposal) !== screen.proposal_hash)
    throw new KairosError('INVALID_INPUT', `${name} was changed: its proposal doesn't have the hash in it`, {
      hint: ASK_AGAIN,
    });
  if (screen.binding !== null && contentHash(screen) === screen.binding) {
    if (isWhole(request)) return withinReason(request);
    throw new KairosError('INVALID_INPUT', `${name} is not a whole proposal request`, { hint: ASK_AGAIN });
  }
  throw new KairosError(
    'INVALID_INPUT',
    `${name} was changed: it shows something else than what would be signed`,
    { hint: ASK_AGAIN },
  );
}

/** The time limit of a request is not signed, so it can't make a signature last for years. */
function withinReason(request: ProposalRequest): ProposalRequest {
  const { policy } = request.screen;
  const ttl_ms = Math.min(policy?.ttl_ms ?? 0, LONGEST_REQUEST_MS);
  return policy === null
    ? request
    : { ...request, screen: { ...request.screen, policy: { ...policy, ttl_ms } } };
}

/** 30 days. The policy where the run is ends an approval in any case. */
const LONGEST_REQUEST_MS = 30 * 24 * 3_600_000;

/** Whether everything in the file of another person has the shape that it is shown and signed with. */
function isWhole(request: ProposalRequest): boolean {
  const lists = Object.values(request.keys);
  const asked = { approver: 'x', decision: 'approve', reason: undefined, now: 0 } as const;
  try {
    const rows = screenRows(request.screen, { now: 0 });
    return (
      rows.every(([, text]) => typeof text === 'string') &&
      lists.every((keys) => Array.isArray(keys) && keys.every((key) => typeof key === 'string')) &&
      readStatement(statementText(statementOn(request, asked))) !== null
    );
  } catch {
    return false;
  }
}

function parseExchange(text: string, name: string, kind: string): Record<string, unknown> {
  const { value, violations } = readJsonStrictly(text, MAX_EXCHANGE.maxBytes);
  const [fault] = violations;
  if (fault !== undefined)
    throw new KairosError(
      'INVALID_INPUT',
      `${name} is not usable JSON: ${fault.pointer} ${fault.message}`.replace(':  ', ': '),
      { hint: 'Give the file that was received.' },
    );
  if (isObject(value) && value.kairos === kind && value.v === 1) return value;
  throw new KairosError('INVALID_INPUT', `${name} is not a ${kind.replace('-', ' ')} of kairos`, {
    hint: 'Give the file that was received.',
  });
}

import { type Quorum, quorumOf, terminalCounts } from '../effective.ts';
import type { Case } from '../input.ts';
import type { Approver, ApproverKey, Policy } from '../policy/schema.ts';
import { readSshKey } from './ssh-key.ts';
import type { Approval } from './statement.ts';
import { type ApprovedContent, approvedContent, contentHash } from './view.ts';

interface ApprovalCount {
  needed: number;
  /** Of the needed ones. People above what their group can add don't count. */
  given: number;
  /** Names of those who denied it: one is enough to end it. */
  deniedBy: string[];
  /** The first reason of a denial; null without one. */
  denialReason: string | null;
  /** Those that count, by the name of the person, in the order in which they were given. */
  by: Map<string, Approval>;
  /** Approvals of exactly this that don't count, by the name of a person without one that does: the newest of each, and why. */
  ignored: Map<string, Uncounted>;
  /** When the first of those that count runs out, in milliseconds since the epoch; null without any. */
  until: number | null;
}

/** Why an answer doesn't count. */
export type Uncounted =
  | KeyProblem
  | 'no-policy'
  | 'other-proposal'
  | 'other-step'
  | 'other-protocol'
  | 'other-policy'
  | 'unbound'
  | 'moved'
  | 'other-place'
  | 'unknown-key'
  | 'other-approver'
  | 'proposer'
  | 'run-out'
  | 'no-terminal'
  | 'not-in-quorum';

/** How many different people with different keys approved exactly this, and who denied it. */
export function countApprovals(item: Case, proposalHash: string): ApprovalCount {
  const quorum = quorumOf(item);
  const people = new Map<string, Approval>();
  const ignored = new Map<string, Uncounted>();
  const keys = new Set<string>();
  const until: number[] = [];
  const deniedBy = new Set<string>();
  let denialReason: string | null = null;
  for (const approval of item.approvals) {
    const { approver, decision, proposal_hash: about } = approval.statement;
    const uncounted = uncountedReason(item, approval, proposalHash);
    if (uncounted !== null) {
      if (decision === 'approve' && about === proposalHash) ignored.set(approver, uncounted);
      continue;
    }
    if (decision === 'deny') {
      deniedBy.add(approver);
      denialReason ??= approval.statement.reason ?? null;
      continue;
    }
    const key = approval.key ?? 'terminal';
    if (people.has(approver) || keys.has(key)) continue;
    people.set(approver, approval);
    keys.add(key);
    until.push(expiryOf(item, approval));
  }
  return {
    needed: quorum?.needed ?? Number.MAX_SAFE_INTEGER,
    given: quorum === null ? people.size : quorum.needed - missing(quorum, new Set(people.keys())),
    deniedBy: [...deniedBy],
    denialReason,
    by: people,
    ignored: new Map([...ignored].filter(([name]) => !people.has(name))),
    until: until.length === 0 ? null : Math.min(...until),
  };
}

/** Those who could approve now, each with a way to do so that counts. */
export function eligibleApprovers(item: Case): string[] {
  const policy = item.policy?.policy;
  const quorum = quorumOf(item);
  if (policy === undefined) return [];
  return policy.approvers
    .filter(
      (approver) =>
        !isProposer(item, approver) &&
        quorum?.of?.has(approver.name) !== false &&
        ((terminalCounts(item) && approver.actors.length > 0) ||
          approver.keys.some((entry) => keyProblem(entry, item.now, policy) === null)),
    )
    .map(({ name }) => name);
}

/** How many more people are needed, after these have approved. */
export function missing({ needed, groups }: Quorum, people: ReadonlySet<string>): number {
  const lacking = groups.map(({ n, of }) => n - [...people].filter((name) => of.has(name)).length);
  return Math.max(0, Math.min(needed, Math.max(needed - people.size, ...lacking)));
}

/** Why the gate doesn't count an answer to this proposal; null when it does. */
export function uncountedReason(item: Case, approval: Approval, proposalHash: string): Uncounted | null {
  const { statement } = approval;
  if (statement.proposal_hash !== proposalHash) return 'other-proposal';
  if (statement.run_id !== item.gated.runId || statement.step !== item.gated.step) return 'other-step';
  // A denial on record ends the proposal forever, also in a corrected document.
  if (statement.decision === 'deny' && approval.taken === true) return null;
  if (statement.chain_digest !== item.gated.chainDigest) return 'other-protocol';
  if (item.policy === null) return 'no-policy';
  if (statement.decision === 'deny') return voiceProblem(item, item.policy.policy, approval);
  if (statement.policy_digest !== item.policy.digest) return 'other-policy';
  if (approval.moved === true) return 'moved';
  // kairos always writes one; an answer on record without it is of a ledger from before.
  if (statement.binding === undefined && approval.taken !== true) return 'unbound';
  if (statement.binding !== undefined && statement.binding !== bindingNow(item)) return 'other-place';
  if (item.now >= expiryOf(item, approval)) return 'run-out';
  return (
    voiceProblem(item, item.policy.policy, approval) ??
    (quorumOf(item)?.of?.has(statement.approver) === false ? 'not-in-quorum' : null)
  );
}

/** What approvals of this proposal are about; null while its parameters can't be read. */
export function bindingNow(item: Case): string | null {
  return item.fields.parameters === undefined ? null : contentHash(approvedContent(item));
}

/** The gate's part of the approver's screen: what the proposal is about, and whose approval it has and lacks. */
export interface ProposalFacts extends ApprovedContent {
  given: number;
  /** In the order in which they were given; `until` RFC 3339 UTC. */
  approved_by: { name: string; source: string; until: string; unbound?: true }[];
  denied_by: { name: string; reason: string | null }[];
  /** Approvals of exactly this that don't count now, and why. */
  not_counted: { name: string; why: Uncounted }[];
  /** Who could still approve it. */
  could_approve: string[];
}

/** Gathers what an approver has to see. `item` is a case that the gate has judged. */
export function proposalFacts(item: Case, proposalHash: string): ProposalFacts {
  const count = countApprovals(item, proposalHash);
  const statements = item.approvals.filter(({ statement }) => statement.proposal_hash === proposalHash);
  const denialOf = (name: string) =>
    statements.find(({ statement }) => statement.approver === name && statement.decision === 'deny')!;
  return {
    ...approvedContent(item),
    given: count.given,
    approved_by: [...count.by].map(([name, approval]) => ({
      name,
      source: approval.source,
      until: new Date(expiryOf(item, approval)).toISOString(),
      ...(approval.statement.binding === undefined ? { unbound: true as const } : {}),
    })),
    denied_by: count.deniedBy.map((name) => ({ name, reason: denialOf(name).statement.reason ?? null })),
    not_counted: [...count.ignored].map(([name, why]) => ({ name, why })),
    could_approve: eligibleApprovers(item).filter((name) => !count.by.has(name)),
  };
}

/** Until when the approver's statement is valid, at most as long as the policy lets an approval count. */
function expiryOf({ policy }: Case, { statement, givenAt }: Approval): number {
  return Math.min(statement.expires_at_ms, givenAt + (policy?.policy.approvals.ttl_ms ?? 0));
}

/**
 * Why the person behind an approval doesn't count: never the proposer, and only with a key or an account that
 * they own.
 */
function voiceProblem(item: Case, policy: Policy, approval: Approval): Uncounted | null {
  const { statement, by } = approval;
  if (approval.source === 'terminal') {
    if (statement.decision === 'approve' && !terminalCounts(item)) return 'no-terminal';
    const person = policy.approvers.find((approver) => isAccountOf(approver, by));
    if (person?.name !== statement.approver) return 'other-approver';
    return isProposer(item, person) ? 'proposer' : null;
  }
  const owner = approval.key === null ? null : ownerOf(policy, approval.key);
  if (owner === null) return 'unknown-key';
  if (owner.approver.name !== statement.approver) return 'other-approver';
  if (isProposer(item, owner.approver)) return 'proposer';
  return keyProblem(owner.entry, item.now, policy);
}

function isProposer(item: Case, approver: Approver): boolean {
  return [item.actor, item.fields.actor].some((actor) => actor !== undefined && couldBe(approver, actor));
}

/** Why a key of the policy can't approve at an instant; null when it can. Milliseconds since the epoch. */
export function keyProblem(entry: ApproverKey, now: number, { approvals }: Policy): KeyProblem | null {
  if (entry.revoked) return 'revoked';
  if (approvals.hardware_keys && !entry.key.startsWith('sk-')) return 'not-hardware';
  if (entry.valid_from !== undefined && now < Date.parse(entry.valid_from)) return 'not-yet-valid';
  return entry.valid_until === undefined || now < Date.parse(entry.valid_until) ? null : 'expired';
}
type KeyProblem = 'revoked' | 'not-hardware' | 'not-yet-valid' | 'expired';

/** The person and the entry of the policy that a key belongs to. */
export function ownerOf(policy: Policy, key: string): { approver: Approver; entry: ApproverKey } | null {
  const wanted = readSshKey(key);
  if ('problem' in wanted) return null;
  for (const approver of policy.approvers) {
    for (const entry of approver.keys) {
      const own = readSshKey(entry.key);
      if (!('problem' in own) && own.blob.equals(wanted.blob)) return { approver, entry };
    }
  }
  return null;
}

/** Whether an account is this approver's. */
export function isAccountOf({ name, actors }: Approver, actor: string): boolean {
  return name === actor || actors.includes(actor);
}

/** Whether an account could be this approver's, letter case aside: enough to keep a person from approving their own proposal. */
export function couldBe({ name, actors }: Approver, actor: string): boolean {
  // With sudo it is root, who may act for the person that sudo names.
  const persons = [actor, ...(/^(.+) \(sudo by (.+)\)$/.exec(actor)?.slice(1) ?? [])].map(folded);
  return [name, ...actors].some((own) => persons.includes(folded(own)));
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

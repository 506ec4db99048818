import { effectiveClass, quorumOf, terminalCounts } from '../effective.ts';
import type { Case } from '../input.ts';
import type { Approver, Policy } from '../policy/schema.ts';
import { isActor, isUsable, ownerOf } from './key.ts';
import type { Approval } from './statement.ts';

export interface ApprovalCount {
  needed: number;
  given: number;
  /** Somebody who may approve has said no: that ends it. */
  denied: boolean;
  /** Names, in the order in which they were given. */
  by: string[];
  /** When the first of those that count runs out, in milliseconds since the epoch; null without any. */
  until: number | null;
}

/** How many different people with different keys have said yes to exactly this, and whether one has said no. */
export function countApprovals(item: Case, proposalHash: string): ApprovalCount {
  const needed = quorumOf(item)?.needed ?? Number.MAX_SAFE_INTEGER;
  const people = new Set<string>();
  const keys = new Set<string>();
  const until: number[] = [];
  let denied = false;
  for (const approval of item.approvals) {
    if (!isBound(item, approval, proposalHash)) continue;
    const voice = voiceOf(item, approval);
    if (voice === null) continue;
    if (approval.statement.decision === 'deny') {
      denied = true;
      continue;
    }
    const key = approval.key ?? 'terminal';
    if (!mayCount(item, voice.name) || people.has(voice.name) || keys.has(key)) continue;
    people.add(voice.name);
    keys.add(key);
    until.push(expiryOf(item, approval));
  }
  return {
    needed,
    given: people.size,
    denied,
    by: [...people],
    until: until.length === 0 ? null : Math.min(...until),
  };
}

/** Those who could approve now, each with a way to do so that counts. */
export function eligibleApprovers(item: Case): string[] {
  const policy = item.policy?.policy;
  if (policy === undefined) return [];
  return policy.approvers
    .filter(
      (approver) =>
        !isProposer(item, approver) &&
        mayCount(item, approver.name) &&
        ((terminalCounts(item) && approver.actors.length > 0) ||
          approver.keys.some((entry) => isUsable(entry, item.now, policy))),
    )
    .map(({ name }) => name);
}

/** About this proposal, in this run, at this step, of this chain. A yes also under this policy, and for a time; a no stays. */
function isBound(item: Case, approval: Approval, proposalHash: string): boolean {
  const { statement } = approval;
  return (
    statement.proposal_hash === proposalHash &&
    statement.run_id === item.guarded.runId &&
    statement.step === item.guarded.step &&
    statement.chain_digest === item.guarded.chainDigest &&
    (statement.decision === 'deny' ||
      (statement.policy_digest === item.policy?.digest && item.now < expiryOf(item, approval)))
  );
}

/** What the approver has said, and never longer than the policy lets an approval count. */
function expiryOf({ policy }: Case, { statement, givenAt }: Approval): number {
  return Math.min(statement.expires_at_ms, givenAt + (policy?.policy.approvals.ttl_ms ?? 0));
}

/** The person behind an answer, if it is one whose answer is heard: never whoever proposes. */
function voiceOf(item: Case, approval: Approval): Approver | null {
  const policy = item.policy?.policy;
  if (policy === undefined) return null;
  const voice =
    approval.source === 'ssh' ? signer(policy, approval, item.now) : terminalUser(item, policy, approval);
  return voice === null || isProposer(item, voice) ? null : voice;
}

function signer(policy: Policy, { key, statement }: Approval, now: number): Approver | null {
  const owner = key === null ? null : ownerOf(policy, key);
  if (owner === null || !isUsable(owner.entry, now, policy)) return null;
  return owner.approver.name === statement.approver ? owner.approver : null;
}

function terminalUser(item: Case, policy: Policy, { by, statement }: Approval): Approver | null {
  if (statement.decision === 'approve' && !terminalCounts(item)) return null;
  const person = policy.approvers.find((approver) => isActor(approver, by));
  return person?.name === statement.approver ? person : null;
}

function isProposer(item: Case, approver: Approver): boolean {
  return (
    isActor(approver, item.actor) || (item.fields.actor !== undefined && isActor(approver, item.fields.actor))
  );
}

function mayCount(item: Case, name: string): boolean {
  if (effectiveClass(item) !== 'threshold') return true;
  return quorumOf(item)?.of?.has(name) === true;
}

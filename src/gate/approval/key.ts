import type { Approver, ApproverKey, Policy } from '../policy/schema.ts';

/** The part of a public key line that tells keys apart: type and base64, no comment. */
export function keyIdentity(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(' ');
}

/** Whether a key may be used at an instant (ms): not revoked, from <= now < until, in hardware if the policy wants that. */
export function isUsable(entry: ApproverKey, now: number, { approvals }: Policy): boolean {
  if (entry.revoked) return false;
  if (approvals.hardware_keys && !entry.key.startsWith('sk-')) return false;
  if (entry.valid_from !== undefined && now < Date.parse(entry.valid_from)) return false;
  return entry.valid_until === undefined || now < Date.parse(entry.valid_until);
}

/** The person and the entry of the policy that a key belongs to. */
export function ownerOf(policy: Policy, key: string): { approver: Approver; entry: ApproverKey } | null {
  const identity = keyIdentity(key);
  for (const approver of policy.approvers) {
    const entry = approver.keys.find((candidate) => keyIdentity(candidate.key) === identity);
    if (entry !== undefined) return { approver, entry };
  }
  return null;
}

/** Whether an approver is the actor: by name, or by one of the accounts that are this person. */
export function isActor({ name, actors }: Approver, actor: string): boolean {
  return name === actor || actors.includes(actor);
}

import type { Approver, ApproverKey, Policy } from '../policy/schema.ts';
import { readSshKey } from './ssh-key.ts';

/** Why a key of the policy can't approve at an instant; null when it can. Milliseconds since the epoch. */
export function keyProblem(entry: ApproverKey, now: number, { approvals }: Policy): KeyProblem | null {
  if (entry.revoked) return 'revoked';
  if (approvals.hardware_keys && !entry.key.startsWith('sk-')) return 'not-hardware';
  if (entry.valid_from !== undefined && now < Date.parse(entry.valid_from)) return 'not-yet-valid';
  return entry.valid_until === undefined || now < Date.parse(entry.valid_until) ? null : 'expired';
}
export type KeyProblem = 'revoked' | 'not-hardware' | 'not-yet-valid' | 'expired';

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
  return [name, ...actors].some((own) => folded(own) === folded(actor));
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

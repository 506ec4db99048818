import type { Case } from './input.ts';
import { isAtLeast, rulesFor, strictest } from './policy/rule-for.ts';
import type { PolicyRule } from './policy/schema.ts';
import type { ApprovalClass, EvidenceBinding, Rollback } from './proposal.ts';

/** The rules of the policy that cover what is proposed. */
export function coveringRules({ policy, fields }: Case): PolicyRule[] {
  return rulesFor(policy?.policy ?? null, fields);
}

/** The class that counts: the strictest that proposal, template and policy ask for. Nobody lowers what another asks. */
export function effectiveClass(item: Case): ApprovalClass {
  return strictest([
    item.fields.approval_class ?? 'none',
    item.guarded.template.approval_class ?? 'none',
    ...coveringRules(item).map(({ approval_class }) => approval_class),
  ]);
}

/** How many people it takes, and who may be among them (null: any approver). Null when nobody has said how many. */
export interface Quorum {
  needed: number;
  of: ReadonlySet<string> | null;
}

/** `single` 1, `dual` 2, `threshold` N of M as the policy says; of several thresholds the strictest of each part. */
export function quorumOf(item: Case): Quorum | null {
  const approvalClass = effectiveClass(item);
  if (approvalClass !== 'threshold') return { needed: FIXED[approvalClass], of: null };
  const thresholds = coveringRules(item).flatMap(({ threshold }) => threshold ?? []);
  const [first, ...others] = thresholds;
  if (first === undefined) return null;
  const of = first.of.filter((name) => others.every((other) => other.of.includes(name)));
  return { needed: Math.max(...thresholds.map(({ n }) => n)), of: new Set(of) };
}

const FIXED = { none: 0, single: 1, dual: 2 } as const;

/** A terminal's yes is enough: class `single`, and the policy permits it. */
export function terminalCounts(item: Case): boolean {
  return item.policy?.policy.approvals.terminal === true && !isAtLeast(effectiveClass(item), 'dual');
}

/** The rollback is the template's; a proposal can only repeat it. */
export function rollbackOf({ guarded }: Pick<Case, 'guarded'>): Rollback | undefined {
  return guarded.template.rollback_semantics;
}

/** The template's bindings; where it has none, the proposal's. */
export function bindingsOf({
  guarded,
  fields,
}: Pick<Case, 'guarded' | 'fields'>): readonly EvidenceBinding[] {
  return guarded.template.evidence_bindings ?? fields.evidence_bindings ?? [];
}

/** What the step does beside its purpose: whatever either names. Leaving one out does not undo it. */
export function effectsOf({ guarded, fields }: Pick<Case, 'guarded' | 'fields'>): string[] {
  return [...new Set([...(guarded.template.effects ?? []), ...(fields.effects ?? [])])];
}

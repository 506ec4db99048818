import type { Case } from './input.ts';
import { isAtLeast, rulesFor, strictest } from './policy/rule-for.ts';
import type { PolicyRule } from './policy/schema.ts';
import type { ApprovalClass, EvidenceBinding, Rollback } from './proposal.ts';

/** The rules of the policy that cover what is proposed. */
export function coveringRules({ policy, fields, tools }: Case): PolicyRule[] {
  return rulesFor(policy?.policy ?? null, fields, tools.patterns);
}

/** The class that applies: the strictest of proposal, template and policy. None of them can lower another. */
export function effectiveClass(item: Case): ApprovalClass {
  return strictest([
    item.fields.approval_class ?? 'none',
    item.gated.template.approval_class ?? 'none',
    ...coveringRules(item).map(({ approval_class }) => approval_class),
  ]);
}

/** How many people must approve, who may be among them (null: any approver), and how many of each group. */
export interface Quorum {
  needed: number;
  of: ReadonlySet<string> | null;
  groups: readonly { name: string; n: number; of: ReadonlySet<string> }[];
}

/**
 * `single` 1, `dual` 2, `threshold` N of M as the policy defines it; of several rules the strictest of each
 * part. Null when class threshold is required and no rule defines a quorum.
 */
export function quorumOf(item: Case): Quorum | null {
  const rules = coveringRules(item);
  const thresholds = rules.flatMap(({ threshold }) => threshold ?? []);
  const asked = [
    item.fields.approval_class ?? 'none',
    item.gated.template.approval_class ?? 'none',
    ...rules.map(({ approval_class }) => approval_class),
  ];
  const fixed = Math.max(...asked.map((one) => FIXED[one]));
  const [first, ...others] = thresholds;
  if (first === undefined)
    return asked.includes('threshold') ? null : { needed: fixed, of: null, groups: [] };
  const of = first.of.filter((name) => others.every((other) => other.of.includes(name)));
  return {
    needed: Math.max(fixed, ...thresholds.map(({ n }) => n)),
    of: new Set(of),
    groups: thresholds.flatMap(({ groups }) =>
      groups.map((group) => ({ ...group, of: new Set(group.of.filter((name) => of.includes(name))) })),
    ),
  };
}

const FIXED = { none: 0, single: 1, dual: 2, threshold: 0 } as const;

/** A terminal's yes is enough: class `single`, and the policy permits it. */
export function terminalCounts(item: Case): boolean {
  return item.policy?.policy.approvals.terminal === true && !isAtLeast(effectiveClass(item), 'dual');
}

/** The rollback is the template's; a proposal can only repeat it. */
export function rollbackOf({ gated }: Pick<Case, 'gated'>): Rollback | undefined {
  return gated.template.rollback_semantics;
}

/** The template's bindings; where it has none, the proposal's. */
export function bindingsOf({ gated, fields }: Pick<Case, 'gated' | 'fields'>): readonly EvidenceBinding[] {
  return gated.template.evidence_bindings ?? fields.evidence_bindings ?? [];
}

/** The side effects of the step: the template's effects, or those that the proposal narrows them to. */
export function effectsOf({ gated, fields }: Pick<Case, 'gated' | 'fields'>): readonly string[] {
  return fields.effects ?? gated.template.effects ?? [];
}

/**
 * Every effect that either names. The policy judges these: leaving one out of a proposal doesn't remove it.
 */
export function namedEffects({ gated, fields }: Pick<Case, 'gated' | 'fields'>): string[] {
  return [...new Set([...(gated.template.effects ?? []), ...(fields.effects ?? [])])];
}

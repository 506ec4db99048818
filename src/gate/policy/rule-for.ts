import type { ApprovalClass, Proposal, Target } from '../proposal.ts';
import type { Policy, PolicyRule } from './schema.ts';

const CLASS_ORDER: readonly ApprovalClass[] = ['none', 'single', 'dual', 'threshold'];

/** The stricter of several classes. */
export function strictest(classes: readonly ApprovalClass[]): ApprovalClass {
  return classes.reduce((a, b) => (CLASS_ORDER.indexOf(a) >= CLASS_ORDER.indexOf(b) ? a : b), 'none');
}

/** Whether `a` asks for no less than `b`. */
export function isAtLeast(a: ApprovalClass, b: ApprovalClass): boolean {
  return CLASS_ORDER.indexOf(a) >= CLASS_ORDER.indexOf(b);
}

/** Every rule that covers an action on a target: all of them bind together, so their order means nothing. */
export function rulesFor(
  policy: Policy | null,
  { action_type, target }: Partial<Pick<Proposal, 'action_type' | 'target'>>,
): PolicyRule[] {
  if (policy === null || action_type === undefined || target === undefined) return [];
  return policy.rules.filter(({ match }) => {
    const types: readonly string[] | undefined = match.action_types;
    if (types !== undefined && !types.includes(action_type)) return false;
    return TARGET_KEYS.every((key) => match[key] === undefined || match[key] === target[key]);
  });
}

const TARGET_KEYS = ['resource_type', 'resource_id', 'domain'] as const satisfies (keyof Target)[];

/** The smallest of the values that are set; undefined when none is. */
export function smallest(values: readonly (number | undefined)[]): number | undefined {
  const set = values.filter((value) => value !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

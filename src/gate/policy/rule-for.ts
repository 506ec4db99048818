import type { PatternTools } from '../../proof/verdict.ts';
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
  patterns: PatternTools,
): PolicyRule[] {
  if (policy === null || action_type === undefined || target === undefined) return [];
  return policy.rules.filter(
    ({ match }) =>
      match.action_types?.includes(action_type) !== false &&
      TARGET_KEYS.every(
        (key) => match[key]?.some((name) => matchesName(name, target[key], patterns)) !== false,
      ),
  );
}

export const TARGET_KEYS = ['resource_type', 'resource_id', 'domain'] as const satisfies (keyof Target)[];

/** What marks a name of a policy as an RE2 pattern. */
export const PATTERN_MARK = '~';

/** Whether a name of the policy, or its pattern after `~`, means this value. Letter case doesn't matter. */
export function matchesName(name: string, value: string, patterns: PatternTools): boolean {
  return name.startsWith(PATTERN_MARK)
    ? patterns.fullMatch(`(?is)${name.slice(1)}`, value)
    : foldedName(name) === foldedName(value);
}

/** A name without what its spelling may vary in: letter case, and forms that Unicode calls compatible. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** The smallest of the values that are set; undefined when none is. */
export function smallest(values: readonly (number | undefined)[]): number | undefined {
  const set = values.filter((value) => value !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

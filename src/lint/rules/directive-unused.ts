import { type Directive, type DirectiveRule, removeDirective, removeRule } from '../directives/directive.ts';
import type { LintRule, RuleContext } from '../rule.ts';

export const directiveUnused: LintRule = {
  id: 'directive-unused',
  family: 'document',
  severity: 'warning',
  summary: 'A directive that suppresses nothing is removed.',
  why: 'Its problem has been fixed, or it never worked as intended. If it stays, it hides the next finding of that rule.',
  fixable: 'safe',
  last: true,
  check(context) {
    for (const directive of context.directives) {
      const unused = directive.rules.filter((rule) => isUnused(rule, context));
      if (directive.kind === 'enable' && directive.rules.length === 0 && !directive.used) {
        context.report({
          place: directive.place,
          reason: 'Nothing is disabled at this place. Remove the directive.',
          fix: removeDirective(context.source, directive),
        });
      } else if (directive.kind !== null) reportUnused(directive, unused, context);
    }
  },
};

function reportUnused(directive: Directive, unused: DirectiveRule[], context: RuleContext): void {
  if (unused.length > 0 && unused.length === directive.rules.length) {
    context.report({
      place: directive.place,
      reason: `${nothing(directive)} for ${unused.map(({ id }) => id).join(', ')}. Remove the directive.`,
      fix: removeDirective(context.source, directive),
    });
    return;
  }
  for (const rule of unused) {
    context.report({
      place: rule.place,
      reason: `${nothing(directive)} for ${rule.id}. Remove it from the directive.`,
      fix: removeRule(context.source, directive, rule),
    });
  }
}

function nothing({ kind }: Directive): string {
  return kind === 'enable' ? 'Nothing is disabled here' : 'Nothing here is suppressed';
}

/** Rules that are off cannot show that they are excused; those that compare documents may do so in another call. */
function isUnused({ id, used }: DirectiveRule, context: RuleContext): boolean {
  if (used) return false;
  const rule = context.rules.find((candidate) => candidate.id === id);
  return rule !== undefined && rule.across === undefined && !rule.last && context.level(rule) !== 'off';
}

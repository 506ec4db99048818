import type { Directive, DirectiveRule } from '../directives/directive.ts';
import { removeDirective, removeRule } from '../directives/remove.ts';
import type { Rule, RuleContext } from '../rule.ts';

/** Directives that hold nothing back. */
export const directiveUnused: Rule = {
  id: 'directive-unused',
  family: 'document',
  severity: 'warning',
  summary: 'A directive that holds nothing back is taken out.',
  why: 'What it once excused has been mended, or it never did what was meant. Left in place, it will hide the next finding of that rule without anybody having looked at it.',
  fixable: 'safe',
  last: true,
  get examples() {
    return [
      {
        title: 'Nothing is wrong in the next line',
        source:
          '# Restart the service\n\n<!-- kairos-disable-next-line hidden-character -- an example -->\nRestart it.\n\n## Do it\n\nNow.\n',
        findings: [
          {
            line: 3,
            column: 1,
            reason: 'Nothing here is held back for hidden-character. Take the directive out.',
          },
        ],
        fixed: '# Restart the service\n\nRestart it.\n\n## Do it\n\nNow.\n',
      },
      {
        title: 'No directive',
        source: '# Restart the service\n\n## Do it\n\nNow.\n',
        findings: [],
      },
    ];
  },
  check(context) {
    for (const directive of context.directives) {
      const unused = directive.rules.filter((rule) => isUnused(rule, context));
      if (directive.kind === 'enable' && directive.rules.length === 0 && !directive.used) {
        context.report({
          place: directive.place,
          reason: 'Nothing is disabled at this place. Take the directive out.',
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
      reason: `${nothing(directive)} for ${unused.map(({ id }) => id).join(', ')}. Take the directive out.`,
      fix: removeDirective(context.source, directive),
    });
    return;
  }
  for (const rule of unused) {
    context.report({
      place: rule.place,
      reason: `${nothing(directive)} for ${rule.id}. Take it out of the directive.`,
      fix: removeRule(context.source, directive, rule),
    });
  }
}

function nothing({ kind }: Directive): string {
  return kind === 'enable' ? 'Nothing is disabled here' : 'Nothing here is held back';
}

/** Rules that are off cannot show that they are excused; those that compare documents may do so in another call. */
function isUnused({ id, used }: DirectiveRule, context: RuleContext): boolean {
  if (used) return false;
  const rule = context.rules.find((candidate) => candidate.id === id);
  return rule !== undefined && rule.across === undefined && !rule.last && context.level(rule) !== 'off';
}

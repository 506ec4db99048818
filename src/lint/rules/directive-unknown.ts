import { suggest } from '../../base/errors.ts';
import {
  type Directive,
  type DirectiveRule,
  isAboutDirectives,
  removeDirective,
  removeRule,
} from '../directives/directive.ts';
import type { LintRule, RuleContext, RuleFinding } from '../rule.ts';

const NAMES = ['kairos-disable', 'kairos-enable', 'kairos-disable-next-line', 'kairos-disable-file'];

export const directiveUnknown: LintRule = {
  id: 'directive-unknown',
  family: 'document',
  severity: 'warning',
  summary: 'A directive has a name that exists and names rules that exist.',
  why: 'A misspelt directive has no effect, but its author believes that it suppresses a finding.',
  fixable: 'unsafe',
  last: true,
  check(context) {
    for (const directive of context.directives) {
      if (directive.kind === null) context.report(unknownName(directive, context));
      else if (directive.rules.length === 0 && directive.kind !== 'enable') {
        context.report({
          place: directive.namePlace,
          reason: `${directive.name} names no rule, so it does nothing. Name the rules.`,
          fix: { ...removeDirective(context.source, directive), safe: false },
        });
      }
      for (const rule of directive.rules) {
        if (isAboutDirectives(rule.id)) context.report(aboutDirectives(directive, rule, context));
        else if (!context.rules.some(({ id }) => id === rule.id)) {
          context.report(unknownRule(directive, rule, context));
        }
      }
    }
  },
};

function unknownName(directive: Directive, { source }: RuleContext): RuleFinding {
  const meant = suggest(directive.name, NAMES);
  return {
    place: directive.namePlace,
    reason: `There is no directive named ${directive.name}. ${meant === undefined ? `Write one of ${NAMES.join(', ')}.` : `Did you mean ${meant}?`}`,
    expected: NAMES,
    actual: directive.name,
    fix:
      meant === undefined
        ? { ...removeDirective(source, directive), safe: false }
        : {
            range: [directive.namePlace.start.offset, directive.namePlace.end.offset],
            replacement: meant,
            safe: false,
          },
  };
}

function unknownRule(directive: Directive, rule: DirectiveRule, { source, rules }: RuleContext): RuleFinding {
  const meant = suggest(
    rule.id,
    rules.map(({ id }) => id),
  );
  return {
    place: rule.place,
    reason: `There is no rule named ${rule.id}. ${meant === undefined ? 'Remove it.' : `Did you mean ${meant}?`}`,
    actual: rule.id,
    ...(meant === undefined ? {} : { expected: [meant] }),
    fix:
      meant === undefined
        ? removeRule(source, directive, rule)
        : { range: [rule.place.start.offset, rule.place.end.offset], replacement: meant, safe: false },
  };
}

function aboutDirectives(directive: Directive, rule: DirectiveRule, { source }: RuleContext): RuleFinding {
  return {
    place: rule.place,
    reason: `${rule.id} can only be turned off in the configuration. Remove it from the directive.`,
    actual: rule.id,
    fix: removeRule(source, directive, rule),
  };
}

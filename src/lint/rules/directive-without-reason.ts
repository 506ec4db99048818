import type { LintRule } from '../rule.ts';

export const directiveWithoutReason: LintRule = {
  id: 'directive-without-reason',
  family: 'document',
  severity: 'info',
  summary: 'A directive gives its reason.',
  why: 'A reader next year must decide whether the exception still applies, and an agent whether it may follow it. Both need the reason, written after two hyphens.',
  last: true,
  check(context) {
    for (const { kind, reason, place, name } of context.directives) {
      if (kind === null || kind === 'enable' || reason !== undefined) continue;
      context.report({
        place,
        reason: `The directive ${name} gives no reason. Write one after two hyphens: ${name} RULE -- why.`,
      });
    }
  },
};

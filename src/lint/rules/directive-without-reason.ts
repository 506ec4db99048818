import type { Rule } from '../rule.ts';

/** Directives that do not say why. */
export const directiveWithoutReason: Rule = {
  id: 'directive-without-reason',
  family: 'document',
  severity: 'info',
  summary: 'A directive says why it is there.',
  why: 'Whoever reads the protocol next year has to decide whether the exception still holds, and an agent has to decide whether it may follow it. Both need the reason, written after two hyphens.',
  fixable: false,
  last: true,
  get examples() {
    return [
      {
        title: 'An exception without a word',
        source:
          '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -->\n\n## Do it\n\nNow.\n',
        findings: [{ line: 3, column: 1 }],
      },
      {
        title: 'An exception with its reason',
        source:
          '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -- a drill, nothing is at stake -->\n\n## Do it\n\nNow.\n',
        findings: [],
      },
    ];
  },
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

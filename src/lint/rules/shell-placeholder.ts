import { placeholders } from '../../shell/placeholder.ts';
import type { LintRule } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Unfilled placeholders in a command. */
export const shellPlaceholder: LintRule = {
  id: 'shell-placeholder',
  family: 'shell',
  severity: 'error',
  summary: 'A command is complete: nothing in it is left to be filled in.',
  why: 'The command is run unchanged. A shell reads <name> as a file to read from and one to write to, and everything else goes to the program unchanged. What differs from run to run comes from the environment, where you can set it and the ledger records it.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'Angle brackets',
        source: chain(
          'Restart',
          step('Look', 'Look at it.', shellBlock('kubectl logs <pod-name> --tail=20')),
        ),
        findings: [
          {
            line: 8,
            column: 68,
            reason:
              '<pod-name> is left to fill in, but the command is run unchanged. Read the value from a variable and list its name in "env".',
          },
        ],
      },
      {
        title: 'Other spellings',
        source: chain(
          'Restart',
          step('Look', 'Look at it.', shellBlock('curl -f https://{{host}}/health')),
          step('Clone', 'Clone it.', shellBlock('gh repo clone YOUR_ORG/app')),
        ),
        findings: [
          { line: 8, column: 71 },
          { line: 16, column: 69 },
        ],
      },
      {
        title: 'Variables, redirections, templates of other programs',
        source: chain(
          'Restart',
          step('Look', 'Look.', shellBlock('kubectl logs "$POD" --tail=20', { env: ['POD'] })),
          step('Sort', 'Sort.', shellBlock('sort <names.txt >sorted.txt')),
          step('Ask', 'Ask.', shellBlock("docker inspect --format '{{.State.Status}}' web")),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const script of context.scripts) {
      for (const { text, pos, end } of placeholders(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason: `${text} is left to fill in, but the command is run unchanged. Read the value from a variable and list its name in "env".`,
        });
      }
    }
  },
};

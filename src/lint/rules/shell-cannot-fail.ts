import { perScript } from '../../shell/commands.ts';
import { canFail, setOptions } from '../../shell/exit-status.ts';
import type { LintRule, StepScript } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Commands that prove nothing, because they always succeed. */
export const shellCannotFail: LintRule = {
  id: 'shell-cannot-fail',
  family: 'shell',
  severity: 'warning',
  summary: 'A command that proves something can fail.',
  why: 'A proof is worth what it could have refused. `echo done`, `true` and `npm test || true` end with 0 on a machine where nothing was done at all.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A word instead of a check',
        source: chain('Release', step('Test', 'Run the tests.', shellBlock('echo tests passed'))),
        findings: [
          {
            line: 8,
            column: 55,
            reason:
              'This command always ends with 0, so it proves nothing. Let the command that does the work be the last, or judge its output with stdout_matches.',
          },
        ],
      },
      {
        title: 'A failure that is waved through',
        source: chain('Release', step('Test', 'Run the tests.', shellBlock('npm test || true'))),
        findings: [{ line: 8, column: 55 }],
      },
      {
        title: 'Output that is judged, and a check that may fail',
        source: chain(
          'Release',
          step(
            'Tell',
            'Tell.',
            shellBlock('echo "$RELEASE"', { env: ['RELEASE'], stdout_matches: '^v[0-9]' }),
          ),
          step('Test', 'Test.', shellBlock('npm test || { echo broken; exit 1; }')),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const script of context.scripts) {
      const { parsed, text } = script;
      if (script.role !== 'proof' || parsed.errors.length > 0 || isJudgedOtherwise(script)) continue;
      if (mayFail(parsed)) continue;
      context.report({
        place: script.place(0, text.length),
        reason:
          'This command always ends with 0, so it proves nothing. Let the command that does the work be the last, or judge its output with stdout_matches.',
      });
    }
  },
};

const mayFail = perScript((parsed) => canFail(parsed.tree, setOptions(parsed)));

function isJudgedOtherwise({ block: { value } }: StepScript): boolean {
  const proof = value.proof_of_work;
  if (value.outputs !== undefined || proof?.type !== 'shell') return true;
  return proof.shell.stdout_matches !== undefined || proof.shell.expect_exit_code !== 0;
}

import { perScript } from '../../shell/commands.ts';
import { canFail, setOptions } from '../../shell/exit-status.ts';
import type { LintRule, StepScript } from '../rule.ts';

/** Commands that prove nothing, because they always succeed. */
export const shellCannotFail: LintRule = {
  id: 'shell-cannot-fail',
  family: 'shell',
  severity: 'warning',
  summary: 'A command that proves something can fail.',
  why: 'A proof must be able to fail. `echo done`, `true` and `npm test || true` end with 0 on a machine where nothing was done at all.',
  fixable: false,
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

/** What the command prints or leaves behind, or another exit code than 0, decides. */
export function isJudgedOtherwise({ block: { value } }: StepScript): boolean {
  const proof = value.proof_of_work;
  if (value.outputs !== undefined || proof?.type !== 'shell') return true;
  return proof.shell.stdout_matches !== undefined || proof.shell.expect_exit_code !== 0;
}

import { perScript } from '../../shell/commands.ts';
import { canFail, setOptions } from '../../shell/exit-status.ts';
import type { LintRule, StepScript } from '../rule.ts';

export const shellCannotFail: LintRule = {
  id: 'shell-cannot-fail',
  family: 'shell',
  severity: 'warning',
  summary: 'A command that proves something can fail.',
  why: 'A proof must be able to fail. `echo done`, `true` and `npm test || true` end with 0 on a machine where nothing was done at all.',
  check(context) {
    for (const script of context.scripts) {
      const { parsed, text } = script;
      if (parsed.errors.length > 0 || isJudgedOtherwise(script)) continue;
      if (mayFail(parsed)) continue;
      context.report({
        place: script.place(0, text.length),
        reason: `This command always ends with 0, so it proves nothing. Let the command that does the work be the last${orJudge(script)}.`,
      });
    }
  },
};

const mayFail = perScript((parsed) => canFail(parsed.tree, setOptions(parsed)));

/** The other way to notice a failure, as the end of a sentence: only a proof's output can be judged. */
export function orJudge({ role }: StepScript): string {
  return role === 'proof' ? ', or judge its output with stdout_matches' : '';
}

/** Not its exit code of 0 decides, but what the command prints or leaves behind, or another exit code. */
export function isJudgedOtherwise({ role, block: { value } }: StepScript): boolean {
  // What a rollback did is shown by its verify.
  if (role !== 'proof') return role === 'rollback';
  const proof = value.proof_of_work;
  if (value.outputs !== undefined || proof?.type !== 'shell') return true;
  return proof.shell.stdout_matches !== undefined || proof.shell.expect_exit_code !== 0;
}

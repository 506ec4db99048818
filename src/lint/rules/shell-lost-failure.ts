import { type LostFailure, lostFailures } from '../../shell/lost-failure.ts';
import type { Fix } from '../message.ts';
import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { editScript } from './support/written.ts';

export const shellLostFailure: LintRule = {
  id: 'shell-lost-failure',
  family: 'shell',
  severity: 'warning',
  summary: 'Every part of a command that fails makes the step fail.',
  why: 'The exit code of a list is that of its last command, the exit code of a pipe that of its last program. An earlier failure is lost, and the step is proven although a part failed.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      for (const lost of lostFailures(script.parsed)) {
        if (lost.by === 'pipe' && isOutputJudged(script)) continue;
        const fix = joinWithAnd(context, script, lost);
        context.report({
          place: script.place(lost.pos, lost.end),
          reason:
            lost.by === 'list'
              ? 'When this fails the command continues, and only its last part decides. Join the parts with && instead of a semicolon or a new line.'
              : `A failure here is not noticed: ${lost.decidedBy} at the end of the pipe decides. Write to a file first and join with &&, or run it as bash -o pipefail -c '…'.`,
          ...(fix === undefined ? {} : { fix }),
        });
      }
    }
  },
};

/** What comes out of the pipe is what the step looks at. */
function isOutputJudged({ block, role }: StepScript): boolean {
  const proof = block.value.proof_of_work;
  return role === 'proof' && proof?.type === 'shell' && proof.shell.stdout_matches !== undefined;
}

function joinWithAnd(context: RuleContext, script: StepScript, { separator }: LostFailure): Fix | undefined {
  if (separator === null) return undefined;
  const fix = editScript(context, script, separator, ' &&');
  return fix === undefined ? undefined : { ...fix, safe: false };
}

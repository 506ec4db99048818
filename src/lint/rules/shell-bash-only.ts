import { bashOnly } from '../../shell/bash-only.ts';
import type { LintRule } from '../rule.ts';

export const shellBashOnly: LintRule = {
  id: 'shell-bash-only',
  family: 'shell',
  severity: 'warning',
  summary: 'A command is written for `sh`, or passed to bash by name.',
  why: 'Commands are run by /bin/sh. On Debian, Ubuntu and Alpine that is not bash: the same protocol passes on the laptop of its author and fails, or means something else, on the machine that it was written for.',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      const interpreter =
        proof?.type === 'shell' && script.role === 'proof' ? proof.shell.interpreter : undefined;
      if (interpreter !== undefined) continue;
      for (const { what, instead, pos, end } of bashOnly(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason: `${what} is bash, and commands are run by sh: ${instead}, or hand the whole command to bash -c.`,
        });
      }
    }
  },
};

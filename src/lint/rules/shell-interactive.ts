import { perScript } from '../../shell/commands.ts';
import { asksPerson } from '../../shell/never-ends.ts';
import type { LintRule } from '../rule.ts';
import { howToInteract, insertAfter, writtenPath } from './support/written.ts';

const CMD = ['proof_of_work', 'shell', 'cmd'];
const ADVICE: Record<string, string> = {
  'git commit without a message': 'give it one with --message',
  'git rebase -i': 'name the commits instead',
};

export const shellInteractive: LintRule = {
  id: 'shell-interactive',
  family: 'shell',
  severity: 'warning',
  summary: 'A command that waits for a person declares it with `interactive`.',
  why: 'A command has no terminal and no input unless the step sets "interactive": true. An editor, a prompt or a remote shell then fails immediately, or hangs until the timeout.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      const settings = script.role === 'proof' && proof?.type === 'shell' ? proof.shell : null;
      if (settings?.interactive === true) continue;
      for (const { what, pos, end } of waiting(script.parsed)) {
        const canInsert =
          settings?.interactive === undefined && writtenPath(script.block, CMD).length === CMD.length;
        const fix = canInsert ? insertAfter(context, script.block, CMD, 'interactive', true) : undefined;
        context.report({
          place: script.place(pos, end),
          reason: `${what} waits for a person at a terminal, which this command does not have. ${sentence(ADVICE[what] ?? 'use a form that asks nothing')}${settings === null ? '' : `, or ${howToInteract(script.block)}`}.`,
          ...(fix === undefined || settings === null ? {} : { fix: { ...fix, safe: false } }),
        });
      }
    }
  },
};

const waiting = perScript(({ commands }) =>
  commands.flatMap((command) => {
    const what = asksPerson(command);
    return what === null ? [] : [{ what, pos: command.pos, end: command.end }];
  }),
);

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

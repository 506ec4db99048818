import { perScript } from '../../shell/commands.ts';
import { neverEnds } from '../../shell/never-ends.ts';
import type { LintRule } from '../rule.ts';

export const shellEndless: LintRule = {
  id: 'shell-endless',
  family: 'shell',
  severity: 'warning',
  summary: 'A command comes to an end by itself.',
  why: 'The proof is an exit code, and a program that follows a log or serves a port has none until the timeout kills it. The step always fails, after the longest possible wait.',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      if (script.role === 'proof' && proof?.type === 'shell' && proof.shell.interactive === true) continue;
      for (const { what, pos, end } of endless(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason: `${what} runs until it is stopped, so this step can only time out. Use a form that ends, or put timeout before it.`,
        });
      }
    }
  },
};

const endless = perScript(({ commands }) =>
  commands.flatMap((command) => {
    const what = neverEnds(command);
    return what === null ? [] : [{ what, pos: command.pos, end: command.end }];
  }),
);

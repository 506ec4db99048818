import type { Statement } from 'unbash';
import { perScript, redirectsOf } from '../../shell/commands.ts';
import type { LintRule } from '../rule.ts';

export const shellBackground: LintRule = {
  id: 'shell-background',
  family: 'shell',
  severity: 'warning',
  summary: 'A command in the background is waited for, or lets go of the output.',
  why: 'A step ends when its shell does. A process that still keeps the output open is ended then, and its exit code was never checked: the server that the next step needs is stopped, and its start was never confirmed.',
  check(context) {
    for (const script of context.scripts) {
      for (const { pos, end } of leftBehind(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason:
            'This is ended together with the step, and its exit code is never seen. Wait for it, or start it as a service with its output redirected to a file.',
        });
      }
    }
  },
};

const leftBehind = perScript(({ nodes, commands }) =>
  commands.some(({ name }) => name === 'wait')
    ? []
    : nodes.filter((node) => node.type === 'Statement' && node.background === true && !isRedirected(node)),
);

function isRedirected({ command }: Statement): boolean {
  return redirectsOf(command).some(({ operator }) => operator.includes('>'));
}

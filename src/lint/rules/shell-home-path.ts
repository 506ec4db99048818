import type { LintRule } from '../rule.ts';

export const shellHomePath: LintRule = {
  id: 'shell-home-path',
  family: 'shell',
  severity: 'info',
  summary: 'A command does not depend on the home folder of one person.',
  why: 'Others run the protocol on other machines, where this folder does not exist. Write paths relative to the working directory, or start them from a variable.',
  check(context) {
    for (const script of context.scripts) {
      if (!script.text.includes('/home/') && !script.text.includes('/Users/')) continue;
      for (const node of script.parsed.nodes) {
        if (node.type !== 'Word' || !/^\/(?:home|Users)\/[a-z][\w.-]*(?:\/|$)/.test(node.value)) continue;
        context.report({
          place: script.place(node.pos, node.end),
          reason: `${node.value} exists on one machine only. Write a path relative to the working directory, or begin it with $HOME.`,
        });
      }
    }
  },
};

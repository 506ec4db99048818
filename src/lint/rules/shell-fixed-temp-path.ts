import type { LintRule } from '../rule.ts';

export const shellFixedTempPath: LintRule = {
  id: 'shell-fixed-temp-path',
  family: 'shell',
  severity: 'info',
  summary: 'Temporary files are in the working directory or in a separate folder.',
  why: 'Two runs that write to the same name under /tmp overwrite each other, a run may find a leftover of the last one, and on a shared machine any user can put a link there.',
  check(context) {
    for (const script of context.scripts) {
      if (!script.text.includes('/tmp/')) continue;
      const word = script.parsed.nodes.find((node) => node.type === 'Word' && isFixed(node.value));
      if (word?.type !== 'Word') continue;
      context.report({
        place: script.place(word.pos, word.end),
        reason: `${word.value} is the same file for every run and every user. Write to the working directory, or to a folder made with mktemp -d.`,
      });
    }
  },
};

/** A literal path under /tmp; templates for mktemp end in X, and variables make a unique name. */
function isFixed(path: string): boolean {
  return /^(?:\/var)?\/tmp\/[\w./-]+$/.test(path) && !/X{3,}/.test(path);
}

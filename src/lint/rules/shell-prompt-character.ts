import type { LintRule } from '../rule.ts';
import { editScript } from './support/written.ts';

export const shellPromptCharacter: LintRule = {
  id: 'shell-prompt-character',
  family: 'shell',
  severity: 'error',
  summary: 'A command begins with its program, not with the prompt of a terminal.',
  why: 'A shell looks for a program named `$`, or reads everything after `#` as a comment: the first never runs, the second always succeeds.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      const match = PROMPT.exec(script.text);
      if (match === null) continue;
      const [whole, prompt = ''] = match;
      const start = whole.length - whole.trimStart().length;
      // A session of several lines has output among its commands.
      const isLine = !script.text.trim().includes('\n');
      const fix = isLine ? editScript(context, script, [start, whole.length], '') : undefined;
      context.report({
        place: script.place(start, start + prompt.length),
        reason: `The command begins with ${JSON.stringify(prompt)}, the prompt of a terminal, which the shell reads as ${prompt === '#' ? 'a comment' : 'a program'}. Remove it.`,
        ...(fix === undefined ? {} : { fix: { ...fix, safe: false } }),
      });
    }
  },
};

/** `$ `, `% `, `> `, `user@host:~$ `, `PS C:\> `; and `# ` if that line is the only one. */
const PROMPT =
  /^\s*(\$|%|>|>>>|❯|➜|PS [A-Z]:\\[^>\n]*>|(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^\s$#]*[$#]|#(?=[ \t]+[^\n]+$))[ \t]+(?=\S)/;

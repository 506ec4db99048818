import type { LintRule } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';
import { editScript } from './support/written.ts';

/** Prompts that were copied along with a command. */
export const shellPromptCharacter: LintRule = {
  id: 'shell-prompt-character',
  family: 'shell',
  severity: 'error',
  summary: 'A command begins with its program, not with the prompt of a terminal.',
  why: 'A shell looks for a program named `$`, or reads everything after `#` as a comment: the first never runs, the second always succeeds.',
  fixable: 'unsafe',
  get examples() {
    return [
      {
        title: 'A dollar sign from a terminal',
        source: chain('Release', step('Test', 'Test it.', shellBlock('$ npm test'))),
        findings: [
          {
            line: 8,
            column: 55,
            reason:
              'The command begins with "$", the prompt of a terminal, which the shell reads as a program. Remove it.',
          },
        ],
        fixed: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
      },
      {
        title: 'The prompt of an administrator, and the one of a machine',
        source: chain(
          'Release',
          step('Restart', 'Restart it.', shellBlock('# systemctl restart web')),
          step('Look', 'Look.', shellBlock('deploy@web-1:~$ uptime')),
        ),
        findings: [
          { line: 8, column: 55 },
          { line: 16, column: 55 },
        ],
        fixed: chain(
          'Release',
          step('Restart', 'Restart it.', shellBlock('systemctl restart web')),
          step('Look', 'Look.', shellBlock('uptime')),
        ),
      },
      {
        title: 'Variables, and a comment above a command',
        source: chain(
          'Release',
          step('Test', 'Test it.', shellBlock('$TEST_COMMAND', { env: ['TEST_COMMAND'] })),
          step('Build', 'Build it.', shellBlock('# from the lock file\nnpm ci')),
        ),
        findings: [],
      },
    ];
  },
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

import type { LintRule } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Files with a fixed name in a folder where every user may write. */
export const shellFixedTempPath: LintRule = {
  id: 'shell-fixed-temp-path',
  family: 'shell',
  severity: 'info',
  summary: 'Temporary files are in the working directory or in a separate folder.',
  why: 'Two runs that write to the same name under /tmp overwrite each other, a run may find a leftover of the last one, and on a shared machine any user can put a link there.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A fixed name under /tmp',
        source: chain(
          'Back up',
          step('Dump', 'Dump it.', shellBlock('pg_dump app > /tmp/app.sql && test -s /tmp/app.sql')),
        ),
        findings: [
          {
            line: 8,
            column: 69,
            reason:
              '/tmp/app.sql is the same file for every run and every user. Write to the working directory, or to a folder made with mktemp -d.',
          },
        ],
      },
      {
        title: 'A separate folder, and a name that only looks like one',
        source: chain(
          'Back up',
          step(
            'Dump',
            'Dump.',
            shellBlock('dir=$(mktemp -d /tmp/dump-XXXXXX) && pg_dump app > "$dir/app.sql"'),
          ),
          step('Keep', 'Keep.', shellBlock('pg_dump app > tmp/app.sql && ls /srv/tmp/app')),
        ),
        findings: [],
      },
    ];
  },
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

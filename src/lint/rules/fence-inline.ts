import { problemRule } from '../problem-rule.ts';
import { ontoOwnLine } from './support/blocks.ts';
import { chain, step } from './support/example.ts';

/** Fences that do not begin their line. */
export const fenceInline = problemRule('fence-inline', {
  family: 'document',
  severity: 'error',
  summary: 'A code fence begins its line.',
  why: 'After other text three backticks are not a fence. The line that should close the code opens a block instead, and everything after it is read the wrong way round.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A fence after a colon',
      source: chain('Restart', step('Look', 'Run: ```bash\nuptime\n```\n\nand wait.')),
      findings: [{ line: 5, column: 6 }],
      fixed: chain('Restart', step('Look', 'Run:\n\n```bash\nuptime\n```\n\nand wait.')),
    },
    {
      title: 'A fence on its own line, and code inside a sentence',
      source: chain(
        'Restart',
        step('Look', 'Run ```uptime``` or:\n\n```bash\nuptime\n```'),
        step('Ask', '```gpg-connect-agent /bye```\n\nThe column is ```lvl```'),
      ),
      findings: [],
    },
  ],
  fix({ place }, { source }) {
    const moved = ontoOwnLine(source, place.start.offset);
    return moved === undefined ? undefined : { ...moved.edit, safe: false };
  },
});

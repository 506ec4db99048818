import { problemRule } from '../problem-rule.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Step blocks where they are not read. */
export const blockNested = problemRule('block-nested', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is at the top level of its step.',
  why: 'Inside a list, a quote, a comment or indented code a block is part of something else. It would look like a demand on the page without being one.',
  fixable: false,
  examples: () => [
    {
      title: 'Inside a list',
      source: chain(
        'Release',
        step('Test', '1. Test it.\n\n   ```json\n   {"proof_of_work": {"type": "comment"}}\n   ```'),
      ),
      findings: [{ line: 7, column: 4 }],
    },
    {
      title: 'Inside a comment',
      source: chain('Release', step('Test', '<!--\n{"proof_of_work": {"type": "comment"}}\n-->\n\nTest it.')),
      findings: [{ line: 6, column: 1 }],
    },
    {
      title: 'A proof line in a table',
      source: chain(
        'Release',
        step('Test', '| step | shown by |\n|---|---|\n| Test | PROOF OF WORK: npm test |'),
      ),
      findings: [{ line: 7, column: 10 }],
    },
    {
      title: 'At the top level',
      source: chain('Release', step('Test', '1. Test it.', commentBlock(40))),
      findings: [],
    },
  ],
});

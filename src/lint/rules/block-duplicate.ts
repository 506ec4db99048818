import { problemRule } from '../problem-rule.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Several demands in one step. */
export const blockDuplicate = problemRule('block-duplicate', {
  family: 'block',
  severity: 'error',
  summary: 'A step makes one demand.',
  why: 'A step is passed with one solution. One of two demands would never be asked for, and which one depends on the reader.',
  fixable: false,
  examples: () => [
    {
      title: 'Two step blocks',
      source: chain(
        'Release',
        step('Test', 'Test it.', commentBlock(40)),
        '```json\n{"proof_of_work": {"type": "comment"}}\n```',
      ),
      findings: [{ line: 7, column: 1 }],
    },
    {
      title: 'Two steps',
      source: chain(
        'Release',
        step('Test', 'Test it.', commentBlock(40)),
        step('Build', 'Build it.', commentBlock(40)),
      ),
      findings: [],
    },
  ],
});

import { problemRule } from '../problem-rule.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Step blocks that never end. */
export const blockUnclosedFence = problemRule('block-unclosed-fence', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block is closed.',
  why: 'Everything after it is read as part of the block, the next steps included.',
  fixable: false,
  examples: () => [
    {
      title: 'The closing line is missing',
      source:
        '# Release\n\n## Test\n\n```json\n{"proof_of_work": {"type": "comment"}}\n\n## Build\n\nBuild it.\n',
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'Closed',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40)), step('Build', 'Build it.')),
      findings: [],
    },
  ],
});

import { problemRule } from '../rule.ts';

export const blockUnclosedFence = problemRule('block-unclosed-fence', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block is closed.',
  why: 'Everything after it is read as part of the block, the next steps included.',
});

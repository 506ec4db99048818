import { problemRule } from '../rule.ts';

/** Several demands in one step. */
export const blockDuplicate = problemRule('block-duplicate', {
  family: 'block',
  severity: 'error',
  summary: 'A step makes one demand.',
  why: 'One solution proves a step. Of two demands, one would be ignored, and which one depends on the reader.',
  fixable: false,
});

import { problemRule } from '../rule.ts';

/** Several demands in one step. */
export const blockDuplicate = problemRule('block-duplicate', {
  family: 'block',
  severity: 'error',
  summary: 'A step makes one demand.',
  why: 'A step is passed with one solution. One of two demands would never be asked for, and which one depends on the reader.',
  fixable: false,
});

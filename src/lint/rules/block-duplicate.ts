import { problemRule } from '../rule.ts';

export const blockDuplicate = problemRule('block-duplicate', {
  family: 'block',
  severity: 'error',
  summary: 'A step makes one demand.',
  why: 'One solution proves a step. With two demands, a reader would ignore one of them, and different readers may ignore different ones.',
});

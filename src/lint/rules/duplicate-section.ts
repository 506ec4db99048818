import { problemRule } from '../rule.ts';

export const duplicateSection = problemRule('duplicate-section', {
  family: 'document',
  severity: 'error',
  summary: 'A chain has its triggers and its completion rule once.',
  why: 'Only the first of them is read. The content of the second would be neither metadata nor a step, and would be lost.',
});

import { problemRule } from '../rule.ts';

export const fenceNested = problemRule('fence-nested', {
  family: 'document',
  severity: 'error',
  summary: 'A fence inside a fence is shorter than the outer one.',
  why: 'The inner fence cannot open anything, but the line that should close it closes the outer one. From there on, text is read as code and code as text.',
});

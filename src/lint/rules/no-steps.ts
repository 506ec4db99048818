import { problemRule } from '../rule.ts';

export const noSteps = problemRule('no-steps', {
  family: 'document',
  severity: 'error',
  summary: 'A protocol has at least one step.',
  why: 'Each second-level heading under the title is a step. Without one there is nothing that could be shown, done or proven.',
});

import { problemRule } from '../rule.ts';

export const blockOutsideStep = problemRule('block-outside-step', {
  family: 'block',
  severity: 'error',
  summary: 'A demand is under the heading of its step.',
  why: 'Under the title, among the triggers or in the completion rule there is no step, so the demand would never be made.',
});

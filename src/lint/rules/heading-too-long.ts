import { problemRule } from '../rule.ts';

export const headingTooLong = problemRule('heading-too-long', {
  family: 'document',
  severity: 'error',
  summary: 'A title or the name of a step has at most 1000 characters.',
  why: 'Titles are shown in lists, in prompts and in ledgers. One of that length is a paragraph that got a `#` by accident.',
});

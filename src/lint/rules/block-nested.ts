import { problemRule } from '../rule.ts';

export const blockNested = problemRule('block-nested', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is at the top level of its step.',
  why: 'Inside a list, a quote, a comment or indented code a block is part of something else. It would look like a demand on the page without being one.',
});

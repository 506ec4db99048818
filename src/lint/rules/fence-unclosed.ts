import { problemRule } from '../rule.ts';

export const fenceUnclosed = problemRule('fence-unclosed', {
  family: 'document',
  severity: 'error',
  summary: 'A code fence is closed.',
  why: 'Without its closing line a fence turns everything after it into code: headings are not steps any more and step blocks demand nothing, although the page looks right at first.',
});

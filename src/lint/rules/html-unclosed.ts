import { problemRule } from '../rule.ts';

export const htmlUnclosed = problemRule('html-unclosed', {
  family: 'document',
  severity: 'error',
  summary: 'A comment or HTML element that reaches over lines is closed.',
  why: 'Everything after it is part of the comment: it is not shown, and headings and step blocks in it do not count.',
});

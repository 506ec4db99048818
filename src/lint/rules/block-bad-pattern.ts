import { problemRule } from '../rule.ts';

/** Patterns that RE2 rejects. */
export const blockBadPattern = problemRule('block-bad-pattern', {
  family: 'safety',
  severity: 'error',
  summary: 'A pattern follows the syntax of RE2.',
  why: 'Patterns come from documents and run on output that can be long. RE2 answers in a time that grows with the text only; look-around and back-references, which it does not have, are what makes other engines hang.',
  fixable: false,
});

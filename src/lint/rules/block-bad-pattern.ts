import { problemRule } from '../rule.ts';

export const blockBadPattern = problemRule('block-bad-pattern', {
  family: 'safety',
  severity: 'error',
  summary: 'A pattern follows the syntax of RE2.',
  why: 'Patterns come from documents and run on output that can be long. The time of RE2 grows only with the text. RE2 has no look-around and no back-references, because these make other engines hang.',
});

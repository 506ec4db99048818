import { problemRule } from '../rule.ts';

/** Documents that are not text. */
export const documentInvalidText = problemRule('document-invalid-text', {
  family: 'document',
  severity: 'error',
  summary: 'A document is UTF-8 text.',
  why: 'A NUL or half a character reads differently to every program that gets it: what was linted would not be what is shown or run.',
  fixable: false,
});

import { problemRule } from '../rule.ts';

export const documentInvalidText = problemRule('document-invalid-text', {
  family: 'document',
  severity: 'error',
  summary: 'A document is UTF-8 text.',
  why: 'Programs read a NUL or half a character in different ways, so the linted text would not be the text that is shown or run.',
});

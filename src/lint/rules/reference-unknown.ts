import { problemRule } from '../rule.ts';

export const referenceUnknown = problemRule('reference-unknown', {
  family: 'reference',
  severity: 'error',
  summary: 'A reference names an input or a capture of an earlier step.',
  why: 'A reference to an unknown name has no value, so people and tools would get the braces.',
});

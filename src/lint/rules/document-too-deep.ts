import { problemRule } from '../rule.ts';

export const documentTooDeep = problemRule('document-too-deep', {
  family: 'document',
  severity: 'error',
  summary: 'Lists, quotes and values are nested at most 64 deep.',
  why: 'No person reads a list inside of sixty lists. Such a text can exhaust the programs that read it, so kairos rejects it.',
});

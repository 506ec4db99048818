import { problemRule } from '../rule.ts';

export const captureUnusable = problemRule('capture-unusable', {
  family: 'reference',
  severity: 'error',
  summary: 'A capture has a unique name and a source in its proof.',
  why: 'A capture is an environment variable of later steps. It needs a name that nothing else has, and a source that the proof of its step provides.',
});

import { problemRule } from '../rule.ts';

/** Captures that can't be taken, or whose name is taken. */
export const captureUnusable = problemRule('capture-unusable', {
  family: 'reference',
  severity: 'error',
  summary: 'A capture has a name of its own and comes from its proof.',
  why: 'A capture is an environment variable of later steps. It needs a name that nothing else has, and a source that the proof of its step really gives.',
  fixable: false,
});

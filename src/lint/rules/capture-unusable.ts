import { problemRule } from '../problem-rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Captures that can't be taken, or whose name is taken. */
export const captureUnusable = problemRule('capture-unusable', {
  family: 'reference',
  severity: 'error',
  summary: 'A capture has a name of its own and comes from its proof.',
  why: 'A capture is an environment variable of later steps. It needs a name that nothing else has, and a source that the proof of its step really gives.',
  fixable: false,
  examples: () => [
    {
      title: 'An answer of a command',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'TAG', from: 'answer' }],
        }),
      ),
      findings: [{ line: 8, column: 118 }],
    },
    {
      title: 'A variable that decides which programs run',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'PATH', from: 'stdout' }],
        }),
      ),
      findings: [{ line: 8, column: 118 }],
    },
    {
      title: 'Output of a command',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'TAG', from: 'stdout' }],
        }),
      ),
      findings: [],
    },
  ],
});

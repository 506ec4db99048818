import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Chains without steps. */
export const noSteps = problemRule('no-steps', {
  family: 'document',
  severity: 'error',
  summary: 'A protocol has at least one step.',
  why: 'Each second-level heading under the title is a step. Without one there is nothing that could be shown, done or proven.',
  fixable: false,
  examples: () => [
    {
      title: 'Only a title and a text',
      source: chain('Restart the service', 'Do it carefully.'),
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'Third-level headings are part of a step, not steps',
      source: chain('Restart the service', '### Restart it', 'Now.'),
      findings: [{ line: 1, column: 1 }],
    },
    { title: 'A step', source: chain('Restart the service', step('Restart it', 'Now.')), findings: [] },
  ],
});

import { problemRule } from '../problem-rule.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Demands that belong to no step. */
export const blockOutsideStep = problemRule('block-outside-step', {
  family: 'block',
  severity: 'error',
  summary: 'A demand is under the heading of its step.',
  why: 'Under the title, among the triggers or in the completion rule there is no step, so the demand would never be made.',
  fixable: false,
  examples: () => [
    {
      title: 'Under the title',
      source: chain(
        'Release',
        '```json\n{"proof_of_work": {"type": "comment"}}\n```',
        step('Test', 'Test it.'),
      ),
      findings: [{ line: 3, column: 1 }],
    },
    {
      title: 'Under the step',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40))),
      findings: [],
    },
  ],
});

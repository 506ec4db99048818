import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Headings of steps that lack the space after their marks. */
export const headingWithoutSpace = problemRule('heading-without-space', {
  family: 'document',
  severity: 'error',
  summary: 'A heading has a space after its marks.',
  why: 'CommonMark reads `##Approve` as text. The step would be missing, and its text and step block would belong to the step before.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A step without the space',
      source: `${chain('Release', step('Test', 'Test it.'))}\n##Approve\n\nAsk the owner.\n`,
      findings: [{ line: 7, column: 1 }],
      fixed: `${chain('Release', step('Test', 'Test it.'))}\n## Approve\n\nAsk the owner.\n`,
    },
    {
      title: 'A tag, and marks that are text',
      source: chain('Release', step('Test', 'Test it. #todo\n\n\\##Approve')),
      findings: [],
    },
  ],
  fix({ place }) {
    const at = place.start.offset + 2;
    return { range: [at, at], replacement: ' ', safe: false };
  },
});

import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Titles over the limit. */
export const headingTooLong = problemRule('heading-too-long', {
  family: 'document',
  severity: 'error',
  summary: 'A title or the name of a step has at most 1000 characters.',
  why: 'Titles are shown in lists, in prompts and in ledgers. One of that length is a paragraph that got a `#` by accident.',
  fixable: false,
  examples: () => [
    {
      title: 'A paragraph as a title',
      source: `# ${'Very '.repeat(250)}long\n\n## Restart it\n\nNow.\n`,
      findings: [{ line: 1, column: 1 }],
    },
    { title: 'A title', source: chain('Restart the service', step('Restart it', 'Now.')), findings: [] },
  ],
});

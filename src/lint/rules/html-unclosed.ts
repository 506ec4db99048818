import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Comments and elements that never end. */
export const htmlUnclosed = problemRule('html-unclosed', {
  family: 'document',
  severity: 'error',
  summary: 'A comment or HTML element that reaches over lines is closed.',
  why: 'Everything after it is part of the comment: it is not shown, and headings and step blocks in it do not count.',
  fixable: false,
  examples: () => [
    {
      title: 'A comment without an end',
      source: chain('Restart', step('Look', '<!-- Ask first.\n\nRun uptime.'), step('Restart it', 'Now.')),
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A comment with an end',
      source: chain(
        'Restart',
        step('Look', '<!-- Ask\nfirst. -->\n\nRun uptime.'),
        step('Restart it', 'Now.'),
      ),
      findings: [],
    },
  ],
});

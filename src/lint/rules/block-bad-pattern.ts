import { problemRule } from '../problem-rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Patterns that RE2 rejects. */
export const blockBadPattern = problemRule('block-bad-pattern', {
  family: 'safety',
  severity: 'error',
  summary: 'A pattern follows the syntax of RE2.',
  why: 'Patterns come from documents and run on output that can be long. RE2 answers in a time that grows with the text only; look-around and back-references, which it does not have, are what makes other engines hang.',
  fixable: false,
  examples: () => [
    {
      title: 'A look-ahead',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('npm test', { stdout_matches: 'ok(?! but)' })),
      ),
      findings: [{ line: 8, column: 107 }],
    },
    {
      title: 'A pattern of RE2',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('npm test', { stdout_matches: '(?m)^[1-9][0-9]* passed$' })),
      ),
      findings: [],
    },
  ],
});

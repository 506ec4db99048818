import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Metadata sections that occur twice in a chain. */
export const duplicateSection = problemRule('duplicate-section', {
  family: 'document',
  severity: 'error',
  summary: 'A chain has its triggers and its completion rule once.',
  why: 'Only the first of them is read. The content of the second would be neither metadata nor a step, and would be lost.',
  fixable: false,
  examples: () => [
    {
      title: 'Two completion rules',
      source: chain(
        'Restart',
        step('Restart it', 'Now.'),
        '## Completion Rule\n\nIt runs.',
        '## Completion rule\n\nIt answers.',
      ),
      findings: [{ line: 11, column: 1 }],
    },
    {
      title: 'One of each',
      source: chain(
        'Restart',
        '## Natural Language Triggers\n\n- restart it',
        step('Restart it', 'Now.'),
        '## Completion Rule\n\nIt runs.',
      ),
      findings: [],
    },
  ],
});

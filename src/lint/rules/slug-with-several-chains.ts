import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** A slug for several chains. */
export const slugWithSeveralChains = problemRule('slug-with-several-chains', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'A slug names one chain.',
  why: 'The slug decides the address of a protocol. In a file with several top-level headings it could belong to only one of them, and it would be unclear to which.',
  fixable: false,
  examples: () => [
    {
      title: 'One slug, two chains',
      source: `---\nslug: deploy\n---\n${chain('Deploy', step('Do', 'It.'))}\n${chain('Roll back', step('Undo', 'It.'))}`,
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'Chains that are named after their titles',
      source: `${chain('Deploy', step('Do', 'It.'))}\n${chain('Roll back', step('Undo', 'It.'))}`,
      findings: [],
    },
  ],
});

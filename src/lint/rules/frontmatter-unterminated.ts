import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Frontmatter without an end. */
export const frontmatterUnterminated = problemRule('frontmatter-unterminated', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is closed with a line of three hyphens.',
  why: 'Without that line it is no frontmatter but text: its keys are not read, and they stand above the title where nothing may stand.',
  fixable: false,
  examples: () => [
    {
      title: 'No closing line',
      source: `---\nslug: deploy\n\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'Closed',
      source: `---\nslug: deploy\n---\n\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: [],
    },
  ],
});

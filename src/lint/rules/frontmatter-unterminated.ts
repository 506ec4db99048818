import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Frontmatter without an end. */
export const frontmatterUnterminated = problemRule('frontmatter-unterminated', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is closed with a line of three hyphens.',
  why: 'Without that line it is text instead of frontmatter: its keys are not read, and they are above the title, where no text is allowed.',
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

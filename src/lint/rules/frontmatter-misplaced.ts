import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Frontmatter in the middle of a file. */
export const frontmatterMisplaced = problemRule('frontmatter-misplaced', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is at the very beginning of a file.',
  why: 'Further down the same lines are a rule and a heading: `slug: deploy` becomes the name of a step. This happens when files are joined.',
  fixable: false,
  examples: () => [
    {
      title: 'Two files in one',
      source: `${chain('Deploy', step('Do', 'It.'))}\n---\nslug: roll-back\n---\n\n${chain('Roll back', step('Undo', 'It.'))}`,
      findings: [{ line: 7, column: 1 }],
    },
    {
      title: 'A rule in the text',
      source: chain('Deploy', step('Do', 'It.\n\n---\n\nCarefully.')),
      findings: [],
    },
  ],
});

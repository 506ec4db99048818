import { problemRule } from '../rule.ts';

export const frontmatterMisplaced = problemRule('frontmatter-misplaced', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is at the very beginning of a file.',
  why: 'Further down, the same lines are a horizontal rule and a heading: `slug: deploy` becomes the name of a step. This happens when files are joined.',
});

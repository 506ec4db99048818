import { problemRule } from '../rule.ts';

export const frontmatterUnterminated = problemRule('frontmatter-unterminated', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is closed with a line of three hyphens.',
  why: 'Without that line it is text instead of frontmatter: its keys are not read, and they are above the title, where no text is allowed.',
});

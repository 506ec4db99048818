import { problemRule } from '../rule.ts';

export const textBeforeH1 = problemRule('text-before-h1', {
  family: 'document',
  severity: 'error',
  summary: 'Before the first top-level heading there are only frontmatter and comments.',
  why: 'Text above the H1 belongs to no protocol. It is not stored, not shown and not searched, although its author wrote it to be read.',
});

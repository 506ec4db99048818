import { problemRule } from '../rule.ts';

export const slugWithSeveralChains = problemRule('slug-with-several-chains', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'A slug names one chain.',
  why: 'The slug decides the address of a protocol. In a file with several top-level headings it could belong to only one of them, and it would be unclear to which.',
});

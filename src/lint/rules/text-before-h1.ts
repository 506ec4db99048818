import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Text that belongs to no chain. */
export const textBeforeH1 = problemRule('text-before-h1', {
  family: 'document',
  severity: 'error',
  summary: 'Before the first top-level heading there are only frontmatter and comments.',
  why: 'Text above the H1 belongs to no protocol. It is not stored, not shown and not searched, although its author wrote it to be read.',
  fixable: false,
  examples: () => [
    {
      title: 'An introduction above the title',
      source: `Read this first.\n\n${chain('Restart', step('Restart it', 'Now.'))}`,
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'Frontmatter and a comment above the title',
      source: `---\nslug: restart\n---\n<!-- Kept by operations. -->\n\n${chain('Restart', 'Read this first.', step('Restart it', 'Now.'))}`,
      findings: [],
    },
  ],
});

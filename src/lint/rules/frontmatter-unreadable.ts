import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Frontmatter that is not a YAML mapping. */
export const frontmatterUnreadable = problemRule('frontmatter-unreadable', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is plain YAML: keys and values.',
  why: 'When it cannot be read, neither slug nor version is known, and the protocol would be stored under another address than its author chose. Aliases, anchors and tags are refused because two programs may read them differently.',
  fixable: false,
  examples: () => [
    {
      title: 'A colon inside of a value',
      source: `---\nslug: deploy\ntitle: Deploy: the long way\n---\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: [{ line: 3, column: 8 }],
    },
    {
      title: 'A value in quotes',
      source: `---\nslug: deploy\ntitle: "Deploy: the long way"\n---\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: [],
    },
  ],
});

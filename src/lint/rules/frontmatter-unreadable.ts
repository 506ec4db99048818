import { problemRule } from '../rule.ts';

export const frontmatterUnreadable = problemRule('frontmatter-unreadable', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Frontmatter is plain YAML: keys and values.',
  why: 'When it cannot be read, neither slug nor version is known, and the protocol would be stored under another address than its author chose. Aliases, anchors and tags are refused because two programs may read them differently.',
});

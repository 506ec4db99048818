import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Blocks or values nested deeper than the limit. */
export const documentTooDeep = problemRule('document-too-deep', {
  family: 'document',
  severity: 'error',
  summary: 'Lists, quotes and values are nested at most 64 deep.',
  why: 'No person reads a list inside of sixty lists. Such a text is made to exhaust the programs that read it, so they reject it.',
  fixable: false,
  examples: () => [
    {
      title: 'A quote in a quote in a quote',
      source: `# Restart\n\n## Restart it\n\n${'>'.repeat(70)} deep\n`,
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A list inside a list',
      source: chain('Restart', step('Restart it', '- first\n  - then\n    - last')),
      findings: [],
    },
  ],
});

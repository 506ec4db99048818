import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Documents over the limit. */
export const documentTooLarge = problemRule('document-too-large', {
  family: 'document',
  severity: 'error',
  summary: 'A document has at most 1 MiB.',
  why: 'Every reader of a protocol reads all of it: a parser, a store, an agent with a context window. The limit keeps one file from stopping all of them, and a procedure of that size is not usable.',
  fixable: false,
  examples: () => [
    {
      title: 'A megabyte of text',
      source: `# Copy of a manual\n\n${'All work and no play. '.repeat(50_000)}\n`,
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'A protocol of the usual size',
      source: chain('Restart', step('Restart it', 'Now.')),
      findings: [],
    },
  ],
});

import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Documents that are not text. */
export const documentInvalidText = problemRule('document-invalid-text', {
  family: 'document',
  severity: 'error',
  summary: 'A document is UTF-8 text.',
  why: 'A NUL or half a character reads differently to every program that gets it: what was linted would not be what is shown or run.',
  fixable: false,
  examples: () => [
    {
      title: 'A NUL character',
      source: '# Restart\n\n## Restart it\n\nNow\u0000.\n',
      findings: [{ line: 5, column: 4 }],
    },
    {
      title: 'Any text in any script',
      source: chain('サービスを再起動する', step('再起動', 'すぐに。👍')),
      findings: [],
    },
  ],
});

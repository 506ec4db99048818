import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Fences inside of fences of the same length. */
export const fenceNested = problemRule('fence-nested', {
  family: 'document',
  severity: 'error',
  summary: 'A fence inside a fence is shorter than the outer one.',
  why: 'The inner fence cannot open anything, but the line that should close it closes the outer one. From there on, text is read as code and code as text.',
  fixable: false,
  examples: () => [
    {
      title: 'Both have three backticks',
      source: chain(
        'Write a page',
        step('Write it', '```markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n```'),
      ),
      findings: [{ line: 8, column: 1 }],
    },
    {
      title: 'The outer one has four',
      source: chain(
        'Write a page',
        step('Write it', '````markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n````'),
      ),
      findings: [],
    },
  ],
});

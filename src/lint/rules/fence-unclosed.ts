import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Code that never ends. */
export const fenceUnclosed = problemRule('fence-unclosed', {
  family: 'document',
  severity: 'error',
  summary: 'A code fence is closed.',
  why: 'Without its closing line a fence turns everything after it into code: headings are not steps any more and step blocks demand nothing, although the page looks right at first.',
  fixable: false,
  examples: () => [
    {
      title: 'The rest of the document becomes code',
      source: `# Restart\n\n## Look\n\n\`\`\`bash\nuptime\n\n## Restart it\n\nNow.\n`,
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A fence that is closed',
      source: chain('Restart', step('Look', '```bash\nuptime\n```'), step('Restart it', 'Now.')),
      findings: [],
    },
  ],
});

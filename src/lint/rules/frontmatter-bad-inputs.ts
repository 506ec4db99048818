import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

const DRAIN = chain('Drain', step('Drain', 'Drain {{HOST}}.'));

/** Inputs that can't be asked for. */
export const frontmatterBadInputs = problemRule('frontmatter-bad-inputs', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Inputs have usable names and definitions.',
  why: 'An input is asked for, checked and recorded by its definition. One that is wrong would be asked for by nothing.',
  fixable: false,
  examples: () => [
    {
      title: 'A name in lower case',
      source: '---\ninputs:\n  host: { description: Host to drain }\n---\n# Drain\n\n## Drain\n\nDrain it.\n',
      findings: [{ line: 3, column: 3 }],
    },
    {
      title: 'A default that the pattern refuses',
      source: `---\ninputs:\n  HOST: { pattern: '[a-z]+', default: lb1 }\n---\n${DRAIN}`,
      findings: [{ line: 3, column: 39 }],
    },
    {
      title: 'A required and an optional input',
      source: `---\ninputs:\n  HOST: { description: Host to drain }\n  RETRIES: { type: number, default: 3 }\n---\n${chain('Drain', step('Drain', 'Drain {{HOST}} at most {{RETRIES}} times.'))}`,
      findings: [],
    },
  ],
});

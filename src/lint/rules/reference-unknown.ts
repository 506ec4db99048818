import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

const INPUTS = '---\ninputs:\n  HOST: { description: Host to drain }\n---\n';

/** References to names that the protocol doesn't have at that step. */
export const referenceUnknown = problemRule('reference-unknown', {
  family: 'reference',
  severity: 'error',
  summary: 'A reference names an input or a capture of an earlier step.',
  why: 'A reference to an unknown name has no value, so people and tools would get the braces.',
  fixable: false,
  examples: () => [
    {
      title: 'A misspelt name',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain {{HOTS}} with `drain "$HOST"`.'))}`,
      findings: [{ line: 9, column: 7 }],
    },
    {
      title: 'An input',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain {{HOST}}.'))}`,
      findings: [],
    },
  ],
});

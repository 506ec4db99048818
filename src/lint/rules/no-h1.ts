import { problemRule } from '../problem-rule.ts';

/** A document without H1 is not a protocol. */
export const noH1 = problemRule('no-h1', {
  family: 'document',
  severity: 'error',
  summary: 'A protocol begins with a top-level heading that names it.',
  why: 'The H1 is the name of the chain: people search for it, and the address of the protocol is derived from it. Without an H1 there is nothing to run, and the steps of the file belong to no chain.',
  fixable: false,
  examples: () => [
    {
      title: 'Steps, but no name',
      source: '## Run the tests\n\nOn a clean tree.\n',
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'A named protocol',
      source: '# Release a package\n\n## Run the tests\n\nOn a clean tree.\n',
      findings: [],
    },
    {
      title: 'A heading underlined with equals signs counts as well',
      source: 'Release a package\n=================\n\n## Run the tests\n\nOn a clean tree.\n',
      findings: [],
    },
  ],
});

import { problemRule } from '../rule.ts';

export const noH1 = problemRule('no-h1', {
  family: 'document',
  severity: 'error',
  summary: 'A protocol begins with a top-level heading that names it.',
  why: 'The H1 is the name of the chain: people search for it, and the address of the protocol is derived from it. Without an H1 there is nothing to run, and the steps of the file belong to no chain.',
});

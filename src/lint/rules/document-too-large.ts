import { problemRule } from '../rule.ts';

export const documentTooLarge = problemRule('document-too-large', {
  family: 'document',
  severity: 'error',
  summary:
    'A document has at most 1 MiB and 1000 steps, and is read in ten seconds, or in one second by `mint` and `update`.',
  why: 'Every reader of a protocol reads all of it: a parser, a store, an agent with a context window. The limit keeps one file from stopping all of them, and a procedure of that size is not usable.',
});

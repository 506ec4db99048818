import { type Check, ok } from './check.ts';

/** What answers a search. */
export const checkSearch: Check = async () => [
  ok('search', 'titles, slugs and triggers first, then words (BM25); no embedding provider'),
];

import { problemRule } from '../rule.ts';

export const frontmatterBadHolds = problemRule('frontmatter-bad-holds', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Each hold names one command or one tool.',
  why: 'A hold keeps agents from a call until a step of the protocol demands it. kairos compares calls with what the hold names, so it must be one simple command or one tool.',
});

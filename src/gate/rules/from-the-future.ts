import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-111');

/** ts_ms does not lie more than five minutes in the future. */
export const fromTheFuture: Rule = {
  code: 'K-PROP-111',
  title: 'ts_ms does not lie more than five minutes in the future',
  check: ({ fields: { ts_ms: ts }, now }) =>
    ts === undefined || ts <= now + LEEWAY_MS
      ? []
      : [found('/ts_ms', 'It lies more than five minutes in the future.')],
};

/** How far clocks may be apart, in milliseconds. */
const LEEWAY_MS = 5 * 60_000;

import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-010');

/** time_window.valid_until_ms must be greater than the current time. */
export const windowOpen: Rule = {
  code: 'V-PROP-010',
  title: 'time_window.valid_until_ms must be greater than the current time',
  check: ({ parts: { time_window: window }, now }) =>
    window.valid_until_ms === undefined || window.valid_until_ms > now
      ? []
      : [found('/time_window/valid_until_ms', 'It must be greater than the current time.')],
};

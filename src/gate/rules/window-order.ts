import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-011');

/** time_window.valid_from_ms must not be greater than valid_until_ms. */
export const windowOrder: Rule = {
  code: 'V-PROP-011',
  title: 'time_window.valid_from_ms must not be greater than valid_until_ms',
  check: ({ fields: { time_window: window } }) =>
    window === undefined || window.valid_from_ms <= window.valid_until_ms
      ? []
      : [found('/time_window/valid_from_ms', 'It must not be greater than valid_until_ms.')],
};

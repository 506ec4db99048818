import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-011');

/** time_window.valid_from_ms must not be greater than valid_until_ms. */
export const windowOrder: Rule = {
  code: 'V-PROP-011',
  title: 'time_window.valid_from_ms must not be greater than valid_until_ms',
  check: ({
    parts: {
      time_window: { valid_from_ms: from, valid_until_ms: until },
    },
  }) =>
    from === undefined || until === undefined || from <= until
      ? []
      : [found('/time_window/valid_from_ms', 'It must not be greater than valid_until_ms.')],
};

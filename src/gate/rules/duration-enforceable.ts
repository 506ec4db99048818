import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-128');

/** max_duration_ms of a command is a second or more, the least that can be enforced. */
export const durationEnforceable: Rule = {
  code: 'K-PROP-128',
  title: 'max_duration_ms of a command is a second or more, the least that can be enforced',
  check: ({
    parts: {
      time_window: { max_duration_ms: longest },
    },
    guarded: { demand },
  }) =>
    longest === undefined || demand.type !== 'shell' || longest >= 1000
      ? []
      : [found('/time_window/max_duration_ms', 'A command cannot be held to less than 1000.')],
};

import type { GateRule } from '../input.ts';
import { violations } from '../violation.ts';

const closed = violations('V-PROP-010');

export const windowOpen: GateRule = {
  code: 'V-PROP-010',
  title: 'time_window.valid_until_ms must be greater than the current time',
  check: ({ parts: { time_window: window }, now }) =>
    window.valid_until_ms === undefined || window.valid_until_ms > now
      ? []
      : [closed('/time_window/valid_until_ms', 'The window is over: it must end later than now.')],
};

const disordered = violations('V-PROP-011');

export const windowOrder: GateRule = {
  code: 'V-PROP-011',
  title: 'time_window.valid_from_ms must not be greater than valid_until_ms',
  check: ({
    parts: {
      time_window: { valid_from_ms: from, valid_until_ms: until },
    },
  }) =>
    from === undefined || until === undefined || from <= until
      ? []
      : [disordered('/time_window/valid_from_ms', 'It must not be greater than valid_until_ms.')],
};

const empty = violations('K-PROP-135');

export const windowLength: GateRule = {
  code: 'K-PROP-135',
  title: 'time_window is longer than nothing',
  check: ({
    parts: {
      time_window: { valid_from_ms: from, valid_until_ms: until },
    },
  }) =>
    from === undefined || from !== until
      ? []
      : [empty('/time_window', 'It begins and ends at the same instant, so a permit would never be valid.')],
};

const early = violations('K-PROP-111');

/** How far clocks may be apart, in milliseconds. */
const LEEWAY_MS = 5 * 60_000;

export const fromTheFuture: GateRule = {
  code: 'K-PROP-111',
  title: 'ts_ms does not lie more than five minutes in the future',
  check: ({ fields: { ts_ms: ts }, now }) =>
    ts === undefined || ts <= now + LEEWAY_MS
      ? []
      : [early('/ts_ms', 'It lies more than five minutes in the future.')],
};

const tooShort = violations('K-PROP-128');

export const durationEnforceable: GateRule = {
  code: 'K-PROP-128',
  title: 'max_duration_ms of a command is a second or more, the least that can be enforced',
  check: ({
    parts: {
      time_window: { max_duration_ms: longest },
    },
    gated: { demand },
  }) =>
    longest === undefined || demand.type !== 'shell' || longest >= 1000
      ? []
      : [tooShort('/time_window/max_duration_ms', 'A command cannot be limited to less than 1000.')],
};

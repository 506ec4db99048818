/** Headings of the main help, in order. */
export const GROUP = {
  walk: 'Run a protocol:',
  protocols: 'Keep protocols:',
  records: 'See what was done:',
  agents: 'Work with agents:',
  setup: 'Set up:',
} as const;

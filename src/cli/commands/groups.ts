/** Headings of the main help, in the order in which they stand there. */
export const GROUP = {
  walk: 'Walk a protocol:',
  protocols: 'Keep protocols:',
  records: 'Look at what was done:',
  agents: 'Work with agents:',
  setup: 'Set up:',
} as const;

/** Beyond the time-out of a question, in milliseconds: so long a late answer is told that it is late. */
export const LATE_MS = 60 * 60 * 1000;

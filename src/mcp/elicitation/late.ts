/** Milliseconds after the time-out of a question in which a late answer is reported as late. */
export const LATE_MS = 60 * 60 * 1000;

/** True where time does not matter: the project `process` repeats the costly tests in full. */
export const THOROUGH = process.env.KAIROS_TEST_THOROUGH === '1';

/** How many cases a property test tries: all of `full`, or a fifth of them. */
export const runs = (full: number): number => (THOROUGH ? full : Math.ceil(full / 5));

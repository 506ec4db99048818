/** True where time does not matter: `npm run test:all`, and `.ci/run` on one version of Node. */
export const THOROUGH = process.env.KAIROS_TEST_THOROUGH === '1';

/** How many cases a property test tries: all of `full`, or a tenth of them. */
export const runs = (full: number): number => (THOROUGH ? full : Math.ceil(full / 10));

/** The cases of a list that a test goes through: all, or every fifth. */
export const casesOf = <T>(all: readonly T[]): readonly T[] =>
  THOROUGH ? all : all.filter((_, at) => at % 5 === 0);

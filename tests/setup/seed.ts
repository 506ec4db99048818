import fc from 'fast-check';

/**
 * The same cases in each run, so that no change is refused by chance. KAIROS_TEST_SEED tries others: a number, or
 * `random` to search for faults (`npm run test:search`).
 */
const { KAIROS_TEST_SEED = '20261130' } = process.env;
if (KAIROS_TEST_SEED !== 'random') fc.configureGlobal({ seed: Number(KAIROS_TEST_SEED) });

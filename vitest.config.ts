import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Much of the time real processes are waited for: two at a time keep two cores busy.
    maxWorkers: 2,
    globalSetup: ['tests/setup/build.ts'],
  },
});

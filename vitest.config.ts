import { defineConfig } from 'vitest/config';

/** Real programs, terminals, signals and pipes. */
const PROCESS = 'tests/process/**/*.test.ts';
/** The command line and the server from outside: in process, or by the real binary. */
const CLI = 'tests/{e2e,docs}/**/*.test.ts';

export default defineConfig({
  test: {
    // Nothing is expected to take that long: a limit that a busy machine meets is a test that fails by chance.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: [PROCESS, CLI],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'cli', include: [CLI], pool: 'forks', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: [PROCESS, CLI],
          pool: 'forks',
          env: { KAIROS_TEST_SPAWN: '1' },
          globalSetup: ['tests/setup/build.ts'],
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/setup/longest-first.ts';

/** Real programs, terminals, signals and pipes, and what takes long for another reason. */
const PROCESS = [
  'tests/process/**/*.test.ts',
  'tests/e2e/{bad-store,run-signals,serve-director}.test.ts',
  'tests/host/commands/run-command.test.ts',
  'tests/host/mcp-client/call-tool.test.ts',
  'tests/protocols/shipped-commands.test.ts',
  'tests/store/{sqlite,qdrant}/concurrency.test.ts',
  'tests/store/qdrant/transport.test.ts',
];
/** The command line and the server from outside: in process, or by the real binary. */
const CLI = ['tests/{e2e,docs}/**/*.test.ts'];
/** What starts real programs waits for them. A busy machine can keep one waiting for too long: that test gets a second try. */
const REAL = {
  pool: 'forks' as const,
  maxWorkers: 4,
  retry: 1,
  sequence: { groupOrder: 1 },
  globalSetup: ['tests/setup/build.ts'],
  setupFiles: ['tests/setup/seed.ts'],
};

export default defineConfig({
  test: {
    // Nothing is expected to take that long: a limit that a busy machine meets is a test that fails by chance.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two of three keep two cores busy while one waits for a program, a timer or a lock.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // By the hash of each file: a second run, or one on another Node, transforms only what has changed.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest-modules' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: [...PROCESS, ...CLI],
          // A limit of processor time counts all threads of a process: with others next to it a test would meet it too soon.
          pool: 'forks',
          isolate: false,
          setupFiles: ['tests/setup/disk.ts', 'tests/setup/seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'cli',
          include: CLI,
          exclude: PROCESS,
          pool: 'forks',
          isolate: false,
          setupFiles: ['tests/setup/disk.ts', 'tests/setup/store.ts', 'tests/setup/seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: PROCESS,
          ...REAL,
          env: { KAIROS_TEST_SPAWN: '1', KAIROS_TEST_THOROUGH: '1' },
        },
      },
      {
        extends: true,
        test: {
          name: 'spawn',
          include: CLI,
          exclude: PROCESS,
          ...REAL,
          isolate: false,
          env: { KAIROS_TEST_SPAWN: '1', KAIROS_TEST_THOROUGH: '1' },
        },
      },
    ],
  },
});

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { plainCommand } from '../../src/base/command-line.ts';
import { makeOutputReader } from '../../src/host/outputs/reader.ts';
import type { Caller, OperationContext } from '../../src/operations/context.ts';
import type { TrustRecord, TrustStore } from '../../src/run/ports.ts';
import { withIntactContents } from '../../src/store/intact.ts';
import { openStore, withReserved } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port.ts';

const key = generateKeyPairSync('ed25519');
/** Where the outputs of the test protocols lie. */
const OUTPUTS = fileURLToPath(new URL('../fixtures/outputs', import.meta.url));

/** A clock that stands still until it is moved. */
export interface TestClock {
  (): number;
  advance(ms: number): void;
}

export function testClock(start = Date.UTC(2026, 0, 15, 12)): TestClock {
  let now = start;
  const clock = () => now;
  return Object.assign(clock, {
    advance: (ms: number) => {
      now += ms;
    },
  });
}

/** Trust in memory; the file-based one has tests of its own. */
export function memoryTrust(): TrustStore {
  const records = new Map<string, TrustRecord>();
  return {
    get: async (digest) => records.get(digest) ?? null,
    list: async () => [...records.values()].reverse(),
    grant: async (record) => {
      records.set(record.digest, record);
    },
    revoke: async (digest) => records.delete(digest),
  };
}

export interface TestContext extends OperationContext {
  clock: TestClock;
}

/** A whole context over a real SQLite store in memory. */
export async function makeContext(
  options: { store?: Store; caller?: Partial<Caller>; over?: Partial<OperationContext> } = {},
): Promise<TestContext> {
  const store =
    options.store ??
    withReserved(withIntactContents(await openStore({ location: ':memory:', dataDir: '/nonexistent' })));
  return {
    store,
    trust: memoryTrust(),
    sealingKey: async () => key,
    random: (size) => randomBytes(size),
    redact: (text) => text,
    outputs: await makeOutputReader(OUTPUTS, []),
    commandLine: plainCommand,
    requireTrust: false,
    allowWeaken: true,
    readOnly: false,
    ...options.over,
    clock: testClock(),
    caller: {
      actor: 'ada',
      session: null,
      space: 'default',
      interface: 'cli',
      maximumAssurance: {
        shell: 'observed',
        mcp: 'observed',
        user_input: 'client',
        comment: 'client',
        sampling: 'client',
      },
      ...options.caller,
    },
  };
}

/** The same store seen by somebody else, or from another session. */
export function as(ctx: TestContext, caller: Partial<Caller>): TestContext {
  return { ...ctx, caller: { ...ctx.caller, ...caller } };
}

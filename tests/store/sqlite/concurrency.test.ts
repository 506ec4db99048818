import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GENESIS_HASH } from '../../../src/base/canonical.ts';
import { entryHash, type LedgerEntry } from '../../../src/ledger/entry.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { begun } from '../builders.ts';
import { bundleWorker, removeWorker, runWorker } from './workers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-concurrency-'));
let worker: string;
let path: string;
let count = 0;
beforeAll(async () => {
  worker = await bundleWorker();
});
beforeEach(() => {
  count += 1;
  path = join(folder, `${count}.db`);
});
afterAll(() => {
  removeWorker(worker);
  rmSync(folder, { recursive: true, force: true });
});

async function beginRun(run: string): Promise<void> {
  const store = await openSqliteStore(path);
  await store.createRun(run, 1, [begun(run)]);
  await store.close();
}

async function readRun(run: string): Promise<LedgerEntry[]> {
  const store = await openSqliteStore(path);
  const entries = await store.readEntries(run);
  expect(await store.findRun(run)).toMatchObject({ entryCount: entries.length, head: entries.at(-1)?.hash });
  await store.close();
  return entries;
}

function expectWhole(entries: readonly LedgerEntry[]): void {
  for (const [at, entry] of entries.entries()) {
    expect(entry.seq).toBe(at);
    expect(entry.prev).toBe(entries[at - 1]?.hash ?? GENESIS_HASH);
    expect(entry.hash).toBe(entryHash(entry));
  }
}

describe('several processes on one store', () => {
  it('4 × 250 appends to one run: no error, none lost, one whole chain', async () => {
    await beginRun('r1');
    const ends = await Promise.all([1, 2, 3, 4].map(() => runWorker(worker, ['append', path, 'r1', '250'])));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']));
    const entries = await readRun('r1');
    expect(entries).toHaveLength(1 + 4 * 250);
    expectWhole(entries);
    const authors = entries.slice(1).map(({ data }) => data.by);
    const shares = [...new Set(authors)].map((author) => authors.filter((by) => by === author).length);
    expect(shares).toEqual([250, 250, 250, 250]);
  });

  it('4 × 50 runs begun on a new file: numbered without a gap, each after the one before', async () => {
    const ends = await Promise.all([1, 2, 3, 4].map(() => runWorker(worker, ['begin', path, '50'])));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']));
    const store = await openSqliteStore(path);
    const runs = (await store.findRuns({ spaces: ['personal'] })).toReversed();
    expect(runs.map(({ storeSeq }) => storeSeq)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    for (const [at, { runId }] of runs.entries()) {
      const [first] = await store.readEntries(runId);
      expect(first?.data.previous_head).toBe(runs[at - 1]?.head ?? null);
    }
    await store.close();
  });
});

describe('a writer killed with SIGKILL', () => {
  it('24 times, at any moment: no acknowledged append is lost, the chain is whole', async () => {
    await beginRun('r1');
    const acknowledged: unknown[] = [];
    for (let kill = 0; kill < 24; kill += 1) {
      let doomed = false;
      const { signal, lines } = await runWorker(worker, ['acknowledge', path, 'r1'], {
        onLine: (_, child) => {
          if (!doomed) setTimeout(() => child.kill('SIGKILL'), Math.random() * 60);
          doomed = true;
        },
      });
      expect(signal).toBe('SIGKILL');
      acknowledged.push(...lines.map(({ hash }) => hash));
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(24);
    const entries = await readRun('r1');
    expectWhole(entries);
    const kept = new Set<unknown>(entries.map(({ hash }) => hash));
    expect(acknowledged.filter((hash) => !kept.has(hash))).toEqual([]);
    // At most the one append of each that was written but not yet told of.
    expect(entries.length - 1 - acknowledged.length).toBeLessThanOrEqual(24);
  });
});

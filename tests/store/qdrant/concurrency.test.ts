import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GENESIS_HASH } from '../../../src/base/canonical.ts';
import { entryHash, type LedgerEntry } from '../../../src/ledger/entry.ts';
import type { Store } from '../../../src/store/port.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { type QdrantDouble, startDouble } from '../../support/qdrant-double/server.ts';
import { begun, contentOf, revisionOf, SPACE } from '../builders.ts';
import { bundleWorker, removeWorker, runWorker } from '../sqlite/workers.ts';

const ID = revisionOf(contentOf()).chainId;

let worker: string;
let double: QdrantDouble;
let address: string;
let store: Store;
let count = 0;
beforeAll(async () => {
  worker = await bundleWorker(new URL('worker.ts', import.meta.url));
  double = await startDouble();
});
beforeEach(async () => {
  count += 1;
  address = double.address(`c${count}`);
  store = await openQdrantStore(address);
  return () => store.close();
});
afterAll(async () => {
  removeWorker(worker);
  expect(double.violations).toEqual([]);
  await double.close();
});

/** Several processes do the same at once; none may fail. */
async function together(processes: number, task: string, ...args: string[]): Promise<unknown[]> {
  const workers = Array.from({ length: processes }, () => runWorker(worker, [task, address, ...args]));
  const ends = await Promise.all(workers);
  expect(ends.map(({ code, stderr, lines }) => [code, stderr, code === 0 ? [] : lines])).toEqual(
    ends.map(() => [0, '', []]),
  );
  return ends.flatMap(({ lines }) => lines);
}

function expectWhole(entries: readonly LedgerEntry[]): void {
  for (const [at, entry] of entries.entries()) {
    expect(entry.seq).toBe(at);
    expect(entry.prev).toBe(entries[at - 1]?.hash ?? GENESIS_HASH);
    expect(entry.hash).toBe(entryHash(entry));
  }
}

describe('several servers on one Qdrant', () => {
  it('4 × 25 appends of two entries to one run: none lost, none torn, one whole chain', async () => {
    await store.createRun('r1', 1, [begun('r1')]);
    await together(4, 'append', 'r1', '25');
    const entries = await store.readEntries('r1');
    expect(entries).toHaveLength(1 + 4 * 25 * 2);
    expectWhole(entries);
    const authors = entries.slice(1).map(({ data }) => data.by);
    for (let at = 0; at < authors.length; at += 2) expect(authors[at + 1]).toBe(authors[at]);
    const shares = [...new Set(authors)].map((author) => authors.filter((by) => by === author).length);
    expect(shares).toEqual([50, 50, 50, 50]);
  });

  it('4 × 20 runs begun where no collection is yet: numbered without a gap, each after the one before', async () => {
    await together(4, 'begin', '20');
    const runs = (await store.findRuns({ spaces: [SPACE] })).toReversed();
    expect(runs.map(({ storeSeq }) => storeSeq)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1));
    for (const [at, { runId }] of runs.entries()) {
      const [first] = await store.readEntries(runId);
      expect(first?.data.previous_head).toBe(runs[at - 1]?.head ?? null);
    }
  });

  it('4 × 20 outcomes counted, with new revisions in between: each counts once, numbers have no gap', async () => {
    await together(4, 'rate', '20');
    expect(await store.quality(ID)).toEqual({ runs: 80, successes: 80, bonus: 20 });
    const numbers = (await store.revisions(ID)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 16 }, (_, at) => at + 1));
    expect(await store.head(ID)).toMatchObject({ number: 16 });
  });

  it('4 × 10 protocols minted, each found immediately', async () => {
    expect(await together(4, 'mint', '10')).toEqual(Array.from({ length: 40 }, () => ({ slug: true })));
    expect(await store.listSpaces()).toEqual([{ name: SPACE, chainCount: 40 }]);
  });
});

describe('a server killed with SIGKILL', () => {
  it('12 times, at any moment: no acknowledged append is lost, none is half there', async () => {
    await store.createRun('r1', 1, [begun('r1')]);
    const acknowledged: unknown[] = [];
    for (let kill = 0; kill < 12; kill += 1) {
      let doomed = false;
      const { signal, lines } = await runWorker(worker, ['acknowledge', address, 'r1'], {
        onLine: (_, child) => {
          if (!doomed) setTimeout(() => child.kill('SIGKILL'), Math.random() * 60);
          doomed = true;
        },
      });
      expect(signal).toBe('SIGKILL');
      acknowledged.push(...lines.map(({ hash }) => hash));
    }
    const entries = await store.readEntries('r1');
    expectWhole(entries);
    expect(entries.length % 2).toBe(1);
    const kept = new Set<unknown>(entries.map(({ hash }) => hash));
    expect(acknowledged.filter((hash) => !kept.has(hash))).toEqual([]);
    expect((entries.length - 1) / 2 - acknowledged.length).toBeLessThanOrEqual(12);
  });
});

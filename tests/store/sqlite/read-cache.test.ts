import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/ledger/entry.ts';
import { stepUuid } from '../../../src/protocol/identity.ts';
import type { Store } from '../../../src/store/port.ts';
import { loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { runs } from '../../support/thorough.ts';
import { begun, contentOf, next, revisionOf } from '../builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-recall-'));
let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.db`);
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a connection finds that has never read anything. */
async function afresh<T>(path: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore(path);
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** Past the triggers that hold a ledger against programs that mean well. */
async function tamper(path: string, sql: string): Promise<void> {
  const connection = (await loadSqliteDriver()).connect(path, { readOnly: false });
  connection.exec(`DROP TRIGGER IF EXISTS entry_fix; DROP TRIGGER IF EXISTS entry_keep; ${sql}`);
  connection.close();
}

/** All entries as a caller knows them that remembers what it has read. */
async function remembered(store: Store, run: string): Promise<LedgerEntry[]> {
  const memory = await store.cachedRun(run);
  const known = memory.fold as LedgerEntry[] | null;
  if (known !== null) return known;
  const entries = await store.readEntries(run);
  memory.keep(entries);
  return entries;
}

it('lets a caller cache only what a first-time reader finds, with any writes between', async () => {
  const run = fc.constantFrom('r1', 'r2', 'r3');
  const who = fc.constantFrom(0, 1);
  const act = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ act: fc.constant('append' as const), who, run, long: fc.boolean() }),
    },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('read' as const), who, run }) },
    fc.record({ act: fc.constant('late' as const), who, run }),
    fc.record({ act: fc.constant('tamper' as const), run, remove: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const path = newFile();
      const stores = [await openSqliteStore(path), await openSqliteStore(path)];
      try {
        for (const [at, id] of ['r1', 'r2', 'r3'].entries())
          await stores[0]!.createRun(id, at + 1, [begun(id)]);
        for (const step of acts) {
          const written = await afresh(path, (store) => store.readEntries(step.run));
          const last = written.at(-1);
          if (step.act === 'tamper') {
            const where = `WHERE run_id = '${step.run}' AND seq = ${(last?.seq ?? 0) - 1}`;
            const change = step.remove
              ? 'DELETE FROM entry'
              : "UPDATE entry SET entry = json_set(entry, '$.at', 'x')";
            await tamper(path, `${change} ${where}`);
            continue;
          }
          const store = stores[step.who]!;
          const memory = await store.cachedRun(step.run);
          expect(await remembered(store, step.run)).toEqual(written);
          if (step.act === 'read' || last === undefined) continue;
          const text = step.act === 'append' && step.long ? 'x'.repeat(40_000) : 'x';
          const entry = next(last, 'step.skipped', { text });
          const count = last.seq + (step.act === 'late' ? 0 : 1);
          expect(await store.appendEntries(step.run, count, [entry])).toBe(step.act === 'append');
          if (step.act === 'append') memory.keep([...written, entry]);
        }
        for (const id of ['r1', 'r2', 'r3']) {
          const written = await afresh(path, (store) => store.readEntries(id));
          for (const store of stores) {
            expect(await remembered(store, id)).toEqual(written);
            expect(await store.readEntries(id)).toEqual(written);
            expect(await store.readEntries(id, 1)).toEqual(written.filter(({ seq }) => seq >= 1));
          }
        }
      } finally {
        for (const store of stores) await store.close();
      }
    }),
    { numRuns: runs(25) },
  );
});

it('forgets a run whose memory was asked for before another program wrote', async () => {
  const path = newFile();
  const [one, other] = [await openSqliteStore(path), await openSqliteStore(path)];
  await one.createRun('r1', 1, [begun('r1')]);
  const before = await one.cachedRun('r1');
  await other.appendEntries('r1', 1, [next(begun('r1'), 'step.skipped', {})]);
  expect((await one.cachedRun('r1')).fold).toBeNull();
  before.keep([begun('r1')]);
  expect((await one.cachedRun('r1')).fold).toBeNull();
  await one.close();
  await other.close();
});

it('lists the same open runs as a first-time reader, after writes of both', async () => {
  const path = newFile();
  const [one, other] = [await openSqliteStore(path), await openSqliteStore(path)];
  const query = { spaces: [begun('r1').data.space as string], open: true, limit: 5 };
  const agree = async (counts: Record<string, number>) => {
    for (const store of [one, other]) {
      const rows = await store.findRuns(query);
      expect(Object.fromEntries(rows.map(({ runId, entryCount }) => [runId, entryCount]))).toEqual(counts);
      // A caller may change its list.
      rows.pop();
    }
  };
  await agree({});
  await one.createRun('r1', 1, [begun('r1')]);
  await agree({ r1: 1 });
  await one.appendEntries('r1', 1, [next(begun('r1'), 'step.skipped', {})]);
  await agree({ r1: 2 });
  await other.createRun('r2', 2, [begun('r2')]);
  await agree({ r2: 1, r1: 2 });
  await tamper(path, "UPDATE run SET sealed_at = 'x' WHERE run_id = 'r1'");
  await agree({ r2: 1 });
  await one.close();
  await other.close();
});

it('accepts no entry that was moved to another number, and hides nothing behind a NUL', async () => {
  const path = newFile();
  const store = await openSqliteStore(path);
  await store.createRun('r1', 1, [begun('r1')]);
  await store.createRun('r2', 2, [begun('r2')]);
  expect(await store.readEntries('r1')).toHaveLength(1);
  await tamper(path, "UPDATE entry SET seq = seq + 10 WHERE run_id = 'r1'");
  await expect(store.readEntries('r1')).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining('entry 10 of run r1'),
  });
  const whole = await store.readLines('r2');
  await tamper(path, "UPDATE entry SET entry = entry || char(0) || 'junk' WHERE run_id = 'r2'");
  const [line] = await store.readLines('r2');
  expect(line).toContain('\0junk');
  expect(whole).not.toContain(line);
  await store.close();
});

it('keeps no answer of a missing row, nor a revision that was listed since', async () => {
  const path = newFile();
  const [one, other] = [await openSqliteStore(path), await openSqliteStore(path)];
  const revision = revisionOf(contentOf());
  const { chainId, digest } = revision;
  const uuid = stepUuid(chainId, 2);
  for (const store of [one, other]) {
    expect(await store.resolveStep(uuid)).toBeNull();
    expect(await store.revisionByDigest(chainId, digest)).toBeNull();
    expect(await store.readEntries('r1')).toEqual([]);
  }
  await one.putRevision({ ...revision, listed: false }, null);
  await one.createRun('r1', 1, [begun('r1')]);
  for (const store of [one, other]) {
    expect(await store.resolveStep(uuid)).toEqual({ chainId, index: 2 });
    expect(await store.revisionByDigest(chainId, digest)).toMatchObject({ number: 0 });
    expect(await store.readEntries('r1')).toEqual([begun('r1')]);
  }
  await one.putRevision(revision, null);
  for (const store of [one, other]) {
    expect(await store.revisionByDigest(chainId, digest)).toMatchObject({ number: 1 });
  }
  await one.close();
  await other.close();
});

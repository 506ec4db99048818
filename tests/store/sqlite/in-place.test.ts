import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { begun, contentOf, next, revisionOf } from '../builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-in-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('stores nothing in a file that was removed or replaced', async () => {
  const path = join(folder, 'a.db');
  await (await openSqliteStore(path)).close();
  const store = await openSqliteStore(path);
  const first = begun('r1');
  expect(await store.createRun('r1', 1, [first])).toBe(true);
  const refused = {
    code: 'STORE_UNAVAILABLE',
    message: `the store ${path} was removed or replaced while it was open`,
    hint: expect.stringContaining('Nothing was written'),
  };
  const refusesAll = async () => {
    await expect(store.appendEntries('r1', 1, [next(first, 'run.resumed')])).rejects.toMatchObject(refused);
    await expect(store.createRun('r2', 2, [begun('r2')])).rejects.toMatchObject(refused);
    await expect(store.putRevision(revisionOf(contentOf()), null)).rejects.toMatchObject(refused);
    await expect(store.lastRun()).rejects.toMatchObject(refused);
  };
  renameSync(path, join(folder, 'aside.db'));
  await refusesAll();
  copyFileSync(join(folder, 'aside.db'), path);
  await refusesAll();
  renameSync(join(folder, 'aside.db'), path);
  expect(await store.appendEntries('r1', 1, [next(first, 'run.resumed')])).toBe(true);
  await store.close();
});

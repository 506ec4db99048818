import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { patiently } from '../../../src/store/sqlite/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { begun } from '../builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-patience-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a write waits for the lock of another connection, and a reader does not wait for it', async () => {
  const path = join(folder, 'a.db');
  const store = await openSqliteStore(path);
  const other = (await loadSqliteDriver()).connect(path, { readOnly: false });
  other.exec('BEGIN IMMEDIATE');
  let done = false;
  const writing = store.createRun('r1', 1, [begun('r1')]).then((made) => {
    done = true;
    return made;
  });
  for (let at = 0; at < 5; at += 1) {
    expect(await store.readEntries('r1')).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(done).toBe(false);
  other.exec('COMMIT');
  expect(await writing).toBe(true);
  other.close();
  await store.close();
});

it('tries again only what another connection was in the way of, and not without end', async () => {
  const busy = Object.assign(new Error('database is locked'), { errcode: 5 });
  const tries: number[] = [];
  const failing = (errors: Error[]) => () => {
    tries.push(errors.length);
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  expect(await patiently(failing([busy, busy]), 10_000)).toBe('done');
  expect(tries).toEqual([2, 1, 0]);
  await expect(patiently(failing([busy, new Error('other')]), 10_000)).rejects.toThrow('other');
  await expect(patiently(failing(Array.from({ length: 99 }, () => busy)), 0)).rejects.toThrow('locked');
  expect(tries.slice(3)).toEqual([2, 1, 99]);
});

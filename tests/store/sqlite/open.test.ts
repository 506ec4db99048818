import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { MEMORY, openDatabase } from '../../../src/store/sqlite/open.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { durableDriver } from '../../support/disk.ts';
import { begun } from '../builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-sqlite-open-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function settings(driver: SqliteDriver, path: string, warnings: string[] = []) {
  const { connection } = await openDatabase(driver, path, { warn: (message) => warnings.push(message) });
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const found = {
    journal_mode: pragma('journal_mode'),
    synchronous: pragma('synchronous'),
    foreign_keys: pragma('foreign_keys'),
    trusted_schema: pragma('trusted_schema'),
    busy_timeout: pragma('busy_timeout'),
  };
  connection.close();
  return found;
}

const FULL = { synchronous: 2, foreign_keys: 1, trusted_schema: 0, busy_timeout: 15_000 };

describe('openDatabase', () => {
  it('writes ahead, durably, with every check on', async () => {
    const driver = await durableDriver();
    expect(await settings(driver, join(folder, 'a.db'))).toEqual({ journal_mode: 'wal', ...FULL });
    expect(await settings(driver, join(folder, 'a.db'))).toEqual({ journal_mode: 'wal', ...FULL });
    expect(await settings(driver, MEMORY)).toEqual({ journal_mode: 'memory', ...FULL });
  });

  it('keeps the rollback journal, and reports it, where WAL is not safe', async () => {
    const old = { ...(await durableDriver()), version: '3.45.0' };
    const warnings: string[] = [];
    expect(await settings(old, join(folder, 'b.db'), warnings)).toEqual({ journal_mode: 'delete', ...FULL });
    expect(warnings).toEqual([
      'SQLite 3.45.0 is not safe with a write-ahead log, so the slower rollback journal is used; a newer Node.js helps',
    ]);
  });

  it('does not share a WAL file with a library that is not safe with it', async () => {
    const path = join(folder, 'c.db');
    const driver = await durableDriver();
    const { connection } = await openDatabase(driver, path);
    connection.prepare('SELECT count(*) FROM run').get();
    const old = { ...driver, version: '3.45.0' };
    await expect(openDatabase(old, path, { busyTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is locked by another process`,
    });
    connection.close();
  });
});

describe('openSqliteStore', () => {
  it('moves what was written into the file itself when it is closed', async () => {
    const path = join(folder, 'd.db');
    const store = await openSqliteStore(path);
    await store.createRun('r1', 1, [begun('r1')]);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await store.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  it('answers STORE_UNAVAILABLE once closed', async () => {
    const store = await openSqliteStore(MEMORY);
    await store.close();
    const closed = { code: 'STORE_UNAVAILABLE', message: 'the store :memory: is closed' };
    await expect(store.lastRun()).rejects.toMatchObject(closed);
    await expect(store.createRun('r1', 1, [begun('r1')])).rejects.toMatchObject(closed);
  });
});

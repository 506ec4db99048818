import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import {
  APPLICATION_ID,
  MIGRATIONS,
  migrate,
  type SchemaMigration,
} from '../../../src/store/sqlite/schema.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-migrate-'));
  path = join(folder, 'k.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ONE: SchemaMigration = { version: 1, sql: 'CREATE TABLE one (x); INSERT INTO one VALUES (1)' };
const TWO: SchemaMigration = {
  version: 2,
  sql: 'CREATE TABLE two (y); INSERT INTO two SELECT x + 1 FROM one',
};
const BROKEN: SchemaMigration = { version: 2, sql: 'CREATE TABLE two (y); INSERT INTO nowhere VALUES (1)' };
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

async function connect(file = path): Promise<Connection> {
  return (await loadSqliteDriver()).connect(file, { readOnly: false });
}

async function bring(migrations: SchemaMigration[], readOnly = false): Promise<string | null> {
  const connection = await connect();
  try {
    return migrate(connection, { path, readOnly, migrations, now: NOW });
  } finally {
    connection.close();
  }
}

async function look(sql: string, file = path): Promise<unknown> {
  const connection = await connect(file);
  const row = connection.prepare(sql).get();
  connection.close();
  return row === undefined ? undefined : Object.values(row)[0];
}

describe('migrate', () => {
  it('makes a new file in the newest format, without a copy', async () => {
    expect(await bring([ONE, TWO])).toBeNull();
    expect(await look('PRAGMA user_version')).toBe(2);
    expect(await look('PRAGMA application_id')).toBe(APPLICATION_ID);
    expect(await look('SELECT y FROM two')).toBe(2);
    expect(await bring([ONE, TWO])).toBeNull();
    expect(readdirSync(folder)).toEqual(['k.db']);
  });

  it('copies an older file before it changes it', async () => {
    await bring([ONE]);
    const copy = await bring([ONE, TWO]);
    expect(copy).toBe(`${path}.v1-20260102T030405006Z-${process.pid}.backup`);
    expect(await look('SELECT y FROM two')).toBe(2);
    expect(await look('PRAGMA user_version', copy ?? '')).toBe(1);
    expect(await look('SELECT x FROM one', copy ?? '')).toBe(1);
    expect(await look("SELECT count(*) FROM sqlite_schema WHERE name = 'two'", copy ?? '')).toBe(0);
    if (process.platform !== 'win32') expect(statSync(copy ?? '').mode & 0o777).toBe(0o600);
  });

  it('leaves the file unchanged when a step fails', async () => {
    await bring([ONE]);
    await expect(bring([ONE, BROKEN])).rejects.toThrow('nowhere');
    expect(await look('PRAGMA user_version')).toBe(1);
    expect(await look("SELECT count(*) FROM sqlite_schema WHERE name = 'two'")).toBe(0);
  });

  it('refuses a newer file, unchanged', async () => {
    await bring([ONE, TWO]);
    await expect(bring([ONE])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} has format 2, this kairos knows up to 1`,
      hint: expect.stringContaining('update kairos'),
    });
    expect(await look('PRAGMA user_version')).toBe(2);
  });

  it('refuses another program’s database, unchanged', async () => {
    const connection = await connect();
    connection.exec('CREATE TABLE bookmarks (url)');
    connection.close();
    await expect(bring([ONE])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is not a kairos store: it is a database of another program`,
    });
    expect(await look('SELECT count(*) FROM sqlite_schema')).toBe(1);
  });

  it('refuses an older or empty file that it may not write', async () => {
    await expect(bring([ONE], true)).rejects.toMatchObject({
      message: `the store ${path} is empty and cannot be written`,
    });
    await bring([ONE]);
    await expect(bring([ONE, TWO], true)).rejects.toMatchObject({
      message: `the store ${path} was made by an older kairos and cannot be migrated`,
    });
    expect(await bring([ONE], true)).toBeNull();
  });

  it('numbers its steps from 1 without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, at) => at + 1));
  });

  it('is run by the process that opens first; the others find it done', async () => {
    const driver = await loadSqliteDriver();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase(driver, path)));
    for (const { connection } of opened) connection.close();
    expect(await look('PRAGMA user_version')).toBe(MIGRATIONS.length);
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSqliteDriver, type SqliteDriver } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';

let real: SqliteDriver['connect'] | undefined;

/** From here on a transaction of this process ends without waiting until the disk has it. */
export async function passOverDisk(): Promise<void> {
  if (real !== undefined) return;
  const driver = await loadSqliteDriver();
  const { connect } = driver;
  real = connect;
  driver.connect = (path, options) => {
    const connection = connect(path, options);
    const exec = (sql: string) =>
      connection.exec(sql === 'PRAGMA synchronous = FULL' ? 'PRAGMA synchronous = OFF' : sql);
    return { ...connection, exec };
  };
}

let empty: Buffer | undefined;

/** From here on a new store file of this process is a copy of an empty store: its tables are made once. */
export async function copyEmptyStores(): Promise<void> {
  if (empty !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'kairos-empty-'));
  const file = join(folder, 'kairos.db');
  await (await openSqliteStore(file)).close();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  empty = content;
  const driver = await loadSqliteDriver();
  const { connect } = driver;
  driver.connect = (path, options) => {
    if (!options.readOnly && statSync(path, { throwIfNoEntry: false })?.size === 0)
      writeFileSync(path, content);
    return connect(path, options);
  };
}

/** The driver as the program has it. */
export async function durableDriver(): Promise<SqliteDriver> {
  const driver = await loadSqliteDriver();
  return { ...driver, connect: real ?? driver.connect };
}

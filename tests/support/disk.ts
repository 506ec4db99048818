import { loadSqliteDriver, type SqliteDriver } from '../../src/store/sqlite/driver.ts';

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

/** The driver as the program has it. */
export async function durableDriver(): Promise<SqliteDriver> {
  const driver = await loadSqliteDriver();
  return { ...driver, connect: real ?? driver.connect };
}

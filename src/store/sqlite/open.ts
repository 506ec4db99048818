import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KairosError } from '../../base/errors.ts';
import { type Connection, isWalSafe, type SqliteDriver } from './driver.ts';
import { isBusy, isInaccessible, sqliteUnavailable, toKairosError } from './errors.ts';
import { MIGRATIONS, migrate, type SchemaMigration } from './schema.ts';

export const MEMORY = ':memory:';
export const BUSY_TIMEOUT_MS = 15_000;

export interface DatabaseOptions {
  /** Never write, even where it would be possible. */
  readOnly?: boolean;
  /** How long a write waits for another process, in milliseconds. */
  busyTimeoutMs?: number;
  migrations?: readonly SchemaMigration[];
  /** Called with what a person should know: a backup that was made, a slower journal in use. */
  warn?: (message: string) => void;
}

/** An open store file. */
export interface Database {
  /** Absolute, or `:memory:`. */
  path: string;
  connection: Connection;
  readOnly: boolean;
  /**
   * Set for a file that was opened as immutable, because SQLite's shared memory could not be created next to
   * it: the state of the file then. When it differs, the file must be opened again.
   */
  snapshot: string | null;
}

/**
 * Opens a store file, creates a missing one (mode 0600, folder 0700), and migrates it to the newest format. A
 * read-only file is opened for reading. Throws STORE_UNAVAILABLE with the reason and a remedy.
 */
export async function openDatabase(
  driver: SqliteDriver,
  location: string,
  options: DatabaseOptions = {},
): Promise<Database> {
  const path = location === MEMORY ? MEMORY : resolve(location);
  try {
    const wanted = options.readOnly !== true;
    const writable = path === MEMORY || (isWritable(path, wanted) && wanted);
    return !writable ? openForReading(driver, path, options) : await openForWriting(driver, path, options);
  } catch (error) {
    throw toKairosError(error, path);
  }
}

/** What a file looks like from outside: changed content shows as changed size or time, here or in its WAL. */
export function fingerprint(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? '-' : `${stat.size}:${stat.mtimeMs}`))
    .join(' ');
}

/** Which file a path leads to: device and inode; null for none, and for one in memory. */
export function identityOf(path: string): string | null {
  const stat = path === MEMORY ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

async function openForWriting(
  driver: SqliteDriver,
  path: string,
  options: DatabaseOptions,
): Promise<Database> {
  const connection = driver.connect(path, { readOnly: false });
  try {
    setUp(connection, options);
    const copy = migrate(connection, {
      path,
      readOnly: false,
      migrations: options.migrations ?? MIGRATIONS,
      now: Date.now(),
    });
    if (copy !== null)
      options.warn?.(`the store was migrated to a new format; a copy of the old one is ${copy}`);
    if (path !== MEMORY) await chooseJournal(connection, driver.version, options);
    return { path, connection, readOnly: false, snapshot: null };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openForReading(driver: SqliteDriver, path: string, options: DatabaseOptions): Database {
  const migrations = options.migrations ?? MIGRATIONS;
  const prepare = (connection: Connection): Connection => {
    try {
      setUp(connection, options);
      migrate(connection, { path, readOnly: true, migrations, now: 0 });
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  const snapshot = fingerprint(path);
  try {
    const connection = prepare(driver.connect(path, { readOnly: true }));
    return { path, connection, readOnly: true, snapshot: null };
  } catch (error) {
    if (!isInaccessible(error)) throw error;
  }
  // A WAL file on a read-only medium. Its log is unreadable, so there must not be one.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw sqliteUnavailable(
      path,
      'has changes in its -wal file that cannot be read from here',
      'Open it once with write permission, or copy the file with its -wal to a folder that you own.',
    );
  }
  const connection = prepare(driver.connect(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true }));
  return { path, connection, readOnly: true, snapshot };
}

function setUp(connection: Connection, options: DatabaseOptions): void {
  connection.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs ?? BUSY_TIMEOUT_MS}`);
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  connection.exec('PRAGMA trusted_schema = OFF');
}

/**
 * WAL if this SQLite is safe with it between processes, else the rollback journal. SQLite reports "locked"
 * for the switch immediately instead of waiting, so it is retried while others open the same new file.
 */
async function chooseJournal(
  connection: Connection,
  version: string,
  options: DatabaseOptions,
): Promise<void> {
  const mode = isWalSafe(version) ? 'wal' : 'delete';
  if (mode === 'delete') {
    options.warn?.(
      `SQLite ${version} is not safe with a write-ahead log, so the slower rollback journal is used; a newer Node.js helps`,
    );
  }
  const until = Date.now() + (options.busyTimeoutMs ?? BUSY_TIMEOUT_MS);
  for (;;) {
    try {
      // On a file system without shared memory SQLite keeps the rollback journal and reports it, which is
      // also safe.
      connection.prepare(`PRAGMA journal_mode = ${mode}`).get();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= until) throw error;
    }
    await new Promise((done) => setTimeout(done, 10 + Math.random() * 40));
  }
}

/**
 * Whether a store file can be written. With `create`, creates a missing file (mode 0600) and its folder
 * (0700). False for a read-only file; throws STORE_UNAVAILABLE for an unreadable one, or one that isn't a
 * file.
 */
function isWritable(path: string, create: boolean): boolean {
  try {
    if (create && !existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      closeSync(openSync(path, 'a', 0o600));
    }
    const stat = statSync(path);
    if (stat.isDirectory()) {
      throw sqliteUnavailable(path, 'is a folder', 'Name a file in it, for example kairos.db.');
    }
    if (!stat.isFile())
      throw sqliteUnavailable(path, 'is not a regular file', 'Choose another file with --store.');
    // SQLite creates its journal next to the file.
    accessSync(dirname(path), constants.W_OK);
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (error instanceof KairosError) throw error;
    requireReadable(path, error as NodeJS.ErrnoException);
    return false;
  }
}

function requireReadable(path: string, refusal: NodeJS.ErrnoException): void {
  if (refusal.code === 'ENOSPC' || refusal.code === 'EDQUOT') {
    throw sqliteUnavailable(
      path,
      'has no room left: the disk is full',
      'Free some space and try again.',
      refusal,
    );
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'does not exist and cannot be made' : 'cannot be read';
    const hint = 'Give yourself permission on the file and its folder, or choose another store with --store.';
    throw sqliteUnavailable(path, `${reason} (${refusal.code ?? refusal.message})`, hint, error);
  }
}

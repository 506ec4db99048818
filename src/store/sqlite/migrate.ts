import { closeSync, openSync } from 'node:fs';
import { type Connection, writeTransaction } from './driver.ts';
import { sqliteUnavailable } from './errors.ts';
import { APPLICATION_ID, type SchemaMigration } from './schema.ts';

export interface SchemaMigrationOptions {
  path: string;
  readOnly: boolean;
  migrations: readonly SchemaMigration[];
  /** Milliseconds since the epoch, for the name of the backup. */
  now: number;
}

/**
 * Migrates a file to the newest version, or rejects it: a newer one, another program's database, a read-only
 * older one. A file with content is first copied next to itself (`VACUUM INTO`), then changed in one
 * transaction. Returns the path of the copy, or null when none was needed.
 */
export function migrate(connection: Connection, options: SchemaMigrationOptions): string | null {
  const { path, migrations } = options;
  const newest = migrations.at(-1)?.version ?? 0;
  const found = checkOwn(connection, path, newest);
  if (found === newest) return null;
  if (options.readOnly) {
    throw sqliteUnavailable(
      path,
      found === 0 ? 'is empty and cannot be written' : 'was made by an older kairos and cannot be migrated',
      'Open it once with write permission on the file and its folder.',
    );
  }
  const copy = found === 0 ? null : backUp(connection, path, found, options.now);
  writeTransaction(connection, () => {
    // Another process may have been faster.
    const version = checkOwn(connection, path, newest);
    for (const migration of migrations) if (migration.version > version) connection.exec(migration.sql);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${newest}`);
  });
  return copy;
}

/** The version of the file, 0 when it is empty. */
function checkOwn(connection: Connection, path: string, newest: number): number {
  const version = pragma(connection, 'user_version');
  const application = pragma(connection, 'application_id');
  if (application === APPLICATION_ID && version > 0 && version <= newest) return version;
  if (application === APPLICATION_ID && version > newest) {
    throw sqliteUnavailable(
      path,
      `has format ${version}, this kairos knows up to ${newest}`,
      'It was written by a newer kairos: update kairos, or choose another store with --store.',
    );
  }
  const tables = connection.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (application === 0 && version === 0 && tables?.count === 0) return 0;
  throw sqliteUnavailable(
    path,
    'is not a kairos store: it is a database of another program',
    'Choose another file with --store; kairos changed nothing in it.',
  );
}

function backUp(connection: Connection, path: string, version: number, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, '');
  const copy = `${path}.v${version}-${stamp}-${process.pid}.backup`;
  // SQLite takes an empty file that is there: so nobody else can read the copy at any moment.
  closeSync(openSync(copy, 'wx', 0o600));
  connection.prepare('VACUUM INTO ?').run(copy);
  return copy;
}

function pragma(connection: Connection, name: 'user_version' | 'application_id'): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

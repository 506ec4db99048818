import type { Connection } from './driver.ts';

/** Runs `action` in a write transaction that locks immediately; rolled back completely when it throws. */
export function write<T>(connection: Connection, action: () => T): T {
  return transaction(connection, 'BEGIN IMMEDIATE', action);
}

/** Runs several reads on one state of the database. */
export function read<T>(connection: Connection, action: () => T): T {
  return transaction(connection, 'BEGIN', action);
}

function transaction<T>(connection: Connection, begin: string, action: () => T): T {
  connection.exec(begin);
  try {
    const result = action();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** SQLite itself rolls back on errors such as a full disk; then nothing is left to roll back. */
function rollBack(connection: Connection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // The error that led here is the one to report.
  }
}

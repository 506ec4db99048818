import { KairosError } from '../../base/errors.ts';
import { memoize } from '../../base/memoize.ts';

/** What SQLite stores. Texts must be well-formed and free of NUL: the libraries differ in what they make of others. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Record<string, unknown>;

/** A prepared statement; kept as long as its connection. */
interface Statement {
  run(...values: SqlValue[]): { changes: number };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/** One connection, the same over both libraries. */
export interface Connection {
  /** Runs statements that give nothing back. */
  exec(sql: string): void;
  /** Prepares once per SQL text. */
  prepare(sql: string): Statement;
  close(): void;
}

/** A SQLite library: `sqlite_version()` and a way to open a file. */
export interface SqliteDriver {
  version: string;
  connect(path: string, options: { readOnly: boolean }): Connection;
}

/** The part of the API of `node:sqlite` that is used; `@photostructure/sqlite` has it too. */
interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => LibraryConnection;
}
interface LibraryConnection {
  exec(sql: string): void;
  prepare(sql: string): LibraryStatement;
  close(): void;
}
interface LibraryStatement {
  run(...values: SqlValue[]): { changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

/**
 * The one SQLite library of this process. Two in one process would drop each other's POSIX locks on a file, so the
 * choice is made once, before either is loaded.
 */
export function loadSqliteDriver(): Promise<SqliteDriver> {
  shared ??= load(process.versions);
  return shared;
}

let shared: Promise<SqliteDriver> | undefined;

/**
 * `node:sqlite` where Node has it without a flag (22.13) and it is safe with WAL; else
 * `@photostructure/sqlite`; else, on a platform without a binary of that, `node:sqlite` with its limits.
 */
export function chooseLibrary(versions: {
  node: string;
  sqlite?: string | undefined;
}): 'builtin' | 'packaged' {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  const builtin = major > 22 || (major === 22 && minor >= 13);
  return builtin && versions.sqlite !== undefined && isWalSafe(versions.sqlite) ? 'builtin' : 'packaged';
}

async function load(versions: NodeJS.ProcessVersions): Promise<SqliteDriver> {
  if (chooseLibrary(versions) === 'builtin') return toDriver(await importBuiltin());
  try {
    return toDriver((await import('@photostructure/sqlite')) as unknown as SqliteModule);
  } catch (cause) {
    if (versions.sqlite !== undefined) return toDriver(await importBuiltin());
    throw new KairosError(
      'STORE_UNAVAILABLE',
      `no SQLite library works on ${process.platform} ${process.arch}`,
      { hint: 'Install Node 22.13 or later, which includes SQLite, or use a Qdrant store.', cause },
    );
  }
}

/** Node prints on stderr that the module is experimental, which users can't change. */
async function importBuiltin(): Promise<SqliteModule> {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emitWarning(warning, ...rest);
  }) as typeof emitWarning;
  try {
    const name: string = 'node:sqlite';
    return (await import(name)) as SqliteModule;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function toDriver({ DatabaseSync }: SqliteModule): SqliteDriver {
  const probe = new DatabaseSync(':memory:', { readOnly: false });
  const { version } = probe.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  probe.close();
  return { version, connect: (path, options) => toConnection(new DatabaseSync(path, options)) };
}

function toConnection(library: LibraryConnection): Connection {
  const statements = new Map<string, Statement>();
  return {
    exec: (sql) => library.exec(sql),
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = toStatement(library.prepare(sql));
        statements.set(sql, statement);
      }
      return statement;
    },
    close() {
      statements.clear();
      library.close();
    },
  };
}

function toStatement(library: LibraryStatement): Statement {
  return {
    run(...values) {
      values.forEach(requireStorable);
      return { changes: Number(library.run(...values).changes) };
    },
    get(...values) {
      values.forEach(requireStorable);
      return library.get(...values) as SqlRow | undefined;
    },
    all(...values) {
      values.forEach(requireStorable);
      return library.all(...values) as SqlRow[];
    },
  };
}

/** A text cut at its NUL, or with its surrogates replaced, would make two names one. */
function requireStorable(value: SqlValue): void {
  if (typeof value !== 'string' || !/[\0\p{Surrogate}]/u.test(value)) return;
  throw new KairosError('INVALID_INPUT', 'a text contains a NUL character or a lone surrogate', {
    hint: 'Remove the character and try again.',
  });
}

/**
 * Whether this SQLite may write a WAL file together with another process: 3.51.3 and later, 3.50.7 and later of 3.50, or
 * 3.44.6 and later of 3.44. Others can corrupt it (sqlite.org, release notes of 3.51.3: the WAL-reset bug).
 */
export function isWalSafe(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major > 3;
  if (minor === 44) return patch >= 6;
  if (minor === 50) return patch >= 7;
  return minor > 51 || (minor === 51 && patch >= 3);
}

/** Runs `action` in a write transaction that locks immediately; rolled back completely when it throws. */
export function writeTransaction<T>(connection: Connection, action: () => T): T {
  return transaction(connection, 'BEGIN IMMEDIATE', action);
}

/** Runs several reads on one state of the database. */
export function readTransaction<T>(connection: Connection, action: () => T): T {
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
    // Report the error that caused the rollback.
  }
}

/** UTF-16 units of the last reads to keep: a run reads all its entries at every step. */
const KEPT_LENGTH = 2 ** 18;

const parse = memoize((text) => deepFreeze(JSON.parse(text)), KEPT_LENGTH);

/**
 * Reads JSON that this store wrote itself; the same text gives the same frozen value, unless something else is to `read` it.
 * Throws STORE_DAMAGED when something else has been put in its place.
 */
export function readStored<T>(text: string, what: string, read: (text: string) => unknown = parse): T {
  try {
    return read(text) as T;
  } catch (cause) {
    throw new KairosError(
      'STORE_DAMAGED',
      `${what} has been changed in the store: it is not readable any more`,
      {
        hint: 'Restore the store from a backup; its other content can still be exported and verified.',
        cause,
      },
    );
  }
}

/** Writes a value as JSON; one that is frozen all the way down is not parsed again while its text is read back. */
export function writeStored(value: object): string {
  const text = JSON.stringify(value);
  if (Object.isFrozen(value)) parse.keep(text, value);
  return text;
}

function deepFreeze(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

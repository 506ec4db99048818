import { closeSync, openSync } from 'node:fs';
import { type Connection, writeTransaction } from './driver.ts';
import { sqliteUnavailable } from './errors.ts';
import { VERSION_3 } from './schema-3.ts';

/** The step to one version of the file format. Never changed once released. */
export interface SchemaMigration {
  version: number;
  sql: string;
}

/** Marks files of kairos in the header (`PRAGMA application_id`): the letters `kair`. */
export const APPLICATION_ID = 0x6b_61_69_72;

/**
 * Tables of version 1. Foreign texts (contents, entries, seals) are stored as JSON, which has no NUL. Rows of
 * `revision`, `entry` and `seal` are never changed or removed; triggers enforce that for every program.
 */
const VERSION_1 = `
CREATE TABLE space (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE chain (
  id INTEGER PRIMARY KEY,
  chain_id TEXT NOT NULL UNIQUE,
  space_id INTEGER NOT NULL REFERENCES space (id),
  slug TEXT NOT NULL,
  head_id INTEGER REFERENCES revision (id)
) STRICT;
CREATE UNIQUE INDEX chain_by_slug ON chain (space_id, slug) WHERE head_id IS NOT NULL;

CREATE TABLE revision (
  id INTEGER PRIMARY KEY,
  chain INTEGER NOT NULL REFERENCES chain (id),
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  content TEXT NOT NULL,
  summary TEXT NOT NULL,
  author TEXT NOT NULL,
  llm_model_id TEXT,
  created_at TEXT NOT NULL,
  weakened TEXT
) STRICT;
CREATE UNIQUE INDEX revision_by_number ON revision (chain, number) WHERE number > 0;
CREATE INDEX revision_by_digest ON revision (chain, digest);
CREATE TRIGGER revision_keep BEFORE DELETE ON revision
  BEGIN SELECT RAISE(ABORT, 'revisions are never removed'); END;
CREATE TRIGGER revision_fix BEFORE UPDATE ON revision
  BEGIN SELECT RAISE(ABORT, 'revisions are never changed'); END;
CREATE TRIGGER revision_once BEFORE INSERT ON revision
  WHEN EXISTS (SELECT 1 FROM revision WHERE id = new.id OR (chain = new.chain AND number = new.number AND number > 0))
  BEGIN SELECT RAISE(ABORT, 'revisions are never replaced'); END;

CREATE TABLE step_uri (
  uuid TEXT PRIMARY KEY,
  chain INTEGER NOT NULL REFERENCES chain (id),
  step INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE quality (
  chain_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  runs INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  bonus REAL NOT NULL,
  PRIMARY KEY (chain_id, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  store_seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  space TEXT NOT NULL,
  chain_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  actor TEXT NOT NULL,
  session TEXT,
  begun_at TEXT NOT NULL,
  sealed_at TEXT,
  outcome TEXT,
  head TEXT NOT NULL,
  entry_count INTEGER NOT NULL
) STRICT;
CREATE INDEX run_by_chain ON run (chain_id, store_seq);
CREATE INDEX run_by_session ON run (session, store_seq) WHERE session IS NOT NULL;

CREATE TABLE seal (
  run_id TEXT PRIMARY KEY REFERENCES run (run_id),
  seal TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER seal_keep BEFORE DELETE ON seal
  BEGIN SELECT RAISE(ABORT, 'seals are never removed'); END;
CREATE TRIGGER seal_fix BEFORE UPDATE ON seal
  BEGIN SELECT RAISE(ABORT, 'seals are never changed'); END;
CREATE TRIGGER seal_once BEFORE INSERT ON seal
  WHEN EXISTS (SELECT 1 FROM seal WHERE run_id = new.run_id)
  BEGIN SELECT RAISE(ABORT, 'seals are never replaced'); END;

CREATE TABLE entry (
  run_id TEXT NOT NULL REFERENCES run (run_id),
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entry_keep BEFORE DELETE ON entry
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never removed'); END;
CREATE TRIGGER entry_fix BEFORE UPDATE ON entry
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END;
CREATE TRIGGER entry_once BEFORE INSERT ON entry
  WHEN EXISTS (SELECT 1 FROM entry WHERE run_id = new.run_id AND seq = new.seq)
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never replaced'); END;
CREATE TRIGGER entry_sealed BEFORE INSERT ON entry
  WHEN EXISTS (SELECT 1 FROM seal WHERE run_id = new.run_id)
  BEGIN SELECT RAISE(ABORT, 'the ledger is sealed'); END;

CREATE TABLE nonce (
  sha256 TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run (run_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  format INTEGER NOT NULL
) STRICT;
CREATE TABLE search_document (
  chain INTEGER PRIMARY KEY REFERENCES chain (id),
  document TEXT NOT NULL
) STRICT;
CREATE TABLE search_phrase (
  phrase TEXT NOT NULL,
  chain INTEGER NOT NULL REFERENCES chain (id),
  PRIMARY KEY (phrase, chain)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_term (
  space_id INTEGER NOT NULL REFERENCES space (id),
  term TEXT NOT NULL,
  chains INTEGER NOT NULL,
  PRIMARY KEY (space_id, term)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_slip (
  key TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (key, word)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE search_text USING fts5 (
  space, name, summary, body,
  content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
`;

/**
 * Version 2: vectors of the heads of live chains, little-endian 32-bit floats. A number is never reused, so
 * rows with greater numbers are the changes since the last read; a row without a vector marks a removal.
 */
const VERSION_2 = `
CREATE TABLE vector_model (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL,
  floor REAL NOT NULL,
  ceiling REAL NOT NULL,
  in_use INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX vector_model_in_use ON vector_model (in_use) WHERE in_use = 1;

CREATE TABLE vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id INTEGER NOT NULL REFERENCES vector_model (id),
  chain INTEGER NOT NULL REFERENCES chain (id),
  vector BLOB
) STRICT;
CREATE UNIQUE INDEX vector_by_chain ON vector (chain, model_id);
CREATE INDEX vector_by_model ON vector (model_id, id);
CREATE TRIGGER vector_forget AFTER UPDATE OF head_id ON chain
  WHEN old.head_id IS NOT NULL AND old.head_id IS NOT new.head_id
  BEGIN
    INSERT OR REPLACE INTO vector (model_id, chain, vector)
      SELECT model_id, chain, NULL FROM vector WHERE chain = new.id AND vector IS NOT NULL;
  END;
`;

/**
 * The migration of a file from each version to the next; the number of the last is the version that this
 * build writes.
 */
export const MIGRATIONS: readonly SchemaMigration[] = [
  { version: 1, sql: VERSION_1 },
  { version: 2, sql: VERSION_2 },
  { version: 3, sql: VERSION_3 },
];

interface SchemaMigrationOptions {
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
  // SQLite accepts an existing empty file. Created with mode 0600, other users can never read the copy.
  closeSync(openSync(copy, 'wx', 0o600));
  connection.prepare('VACUUM INTO ?').run(copy);
  return copy;
}

function pragma(connection: Connection, name: 'user_version' | 'application_id'): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

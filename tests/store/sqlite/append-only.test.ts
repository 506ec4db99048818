import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshIndex } from '../../../src/store/sqlite/chains.ts';
import { type Connection, loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { appendEntries, createRun, readEntries, readSeal } from '../../../src/store/sqlite/ledger.ts';
import { MEMORY, openDatabase } from '../../../src/store/sqlite/open.ts';
import { putRevision, revisions } from '../../../src/store/sqlite/put-revision.ts';
import { begun, contentOf, next, revisionOf, sealOf } from '../builders.ts';

let connection: Connection;
const { listed: _, ...kept } = { ...revisionOf(contentOf()), number: 1 };
const { chainId } = kept;
const first = begun('r1');
const sealed = next(first, 'run.sealed', { outcome: 'success' });
beforeAll(async () => {
  connection = (await openDatabase(await loadSqliteDriver(), MEMORY)).connection;
  refreshIndex(connection);
  putRevision(connection, revisionOf(contentOf()), null);
  createRun(connection, 'r1', 1, [first]);
  appendEntries(connection, 'r1', 1, [sealed], sealOf(sealed));
  createRun(connection, 'r2', 2, [begun('r2')]);
});
afterAll(() => connection.close());

describe('ledgers, seals and revisions, against any program that opens the file', () => {
  it.each([
    ["UPDATE entry SET entry = json_set(entry, '$.at', 'x')", 'never changed'],
    ['DELETE FROM entry', 'never removed'],
    ["INSERT OR REPLACE INTO entry VALUES ('r2', 0, '{}')", 'never replaced'],
    ["INSERT INTO entry VALUES ('r1', 2, '{}')", 'the ledger is sealed'],
    ["INSERT OR REPLACE INTO seal VALUES ('r1', '{}')", 'never replaced'],
    ["UPDATE seal SET seal = '{}'", 'never changed'],
    ['DELETE FROM seal', 'never removed'],
    ["UPDATE revision SET author = 'eve'", 'never changed'],
    ['DELETE FROM revision', 'never removed'],
    [
      "INSERT OR REPLACE INTO revision SELECT id, chain, number, digest, '{}', '{}', author, NULL, created_at, NULL FROM revision",
      'never replaced',
    ],
  ])('%s: %s', (sql, message) => {
    expect(() => connection.exec(sql)).toThrow(message);
    expect(readEntries(connection, 'r1')).toEqual([first, sealed]);
    expect(readEntries(connection, 'r2')).toEqual([begun('r2')]);
    expect(readSeal(connection, 'r1')).toEqual(sealOf(sealed));
    expect(revisions(connection, chainId)).toEqual([kept]);
  });
});

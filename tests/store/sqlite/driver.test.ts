import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, isWalSafe, loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';

let connection: Connection;
beforeAll(async () => {
  connection = (await loadSqliteDriver()).connect(':memory:', { readOnly: false });
  connection.exec('CREATE TABLE t (x)');
});
afterAll(() => connection.close());

describe('driver', () => {
  it('is one library per process, safe with WAL', async () => {
    expect(await loadSqliteDriver()).toBe(await loadSqliteDriver());
    expect(isWalSafe((await loadSqliteDriver()).version)).toBe(true);
  });

  it('prepares a statement once', () => {
    expect(connection.prepare('SELECT 1')).toBe(connection.prepare('SELECT 1'));
  });

  it('runs, gets and lists', () => {
    const insert = connection.prepare('INSERT INTO t VALUES (?)');
    expect([insert.run('a'), insert.run(1), insert.run(null)]).toEqual([
      { changes: 1 },
      { changes: 1 },
      { changes: 1 },
    ]);
    expect(connection.prepare('SELECT x FROM t WHERE x = ?').get('a')).toEqual({ x: 'a' });
    expect(connection.prepare('SELECT x FROM t WHERE x = ?').get('b')).toBeUndefined();
    expect(
      connection
        .prepare('SELECT x FROM t')
        .all()
        .map(({ x }) => x),
    ).toEqual(['a', 1, null]);
  });

  it.each(['a\0b', '\ud800', 'x\udc00y'])('refuses %j, which the libraries would change', (text) => {
    const insert = connection.prepare('INSERT INTO t VALUES (?)');
    for (const call of [() => insert.run(text), () => insert.get(text), () => insert.all(text)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
  });
});

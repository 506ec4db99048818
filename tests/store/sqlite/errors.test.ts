import { describe, expect, it } from 'vitest';
import { KairosError } from '../../../src/base/errors.ts';
import { isBusy, isInaccessible, resultCode, toKairosError } from '../../../src/store/sqlite/errors.ts';

const sqlite = (errcode: number) =>
  Object.assign(new Error('refused'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('toKairosError', () => {
  it.each([
    ['BUSY', 5, 'STORE_UNAVAILABLE', /is locked by another process$/, /Nothing was written/],
    ['BUSY_SNAPSHOT', 517, 'STORE_UNAVAILABLE', /is locked by another process$/, /try again/],
    ['LOCKED', 6, 'STORE_UNAVAILABLE', /is locked/, /try again/],
    ['READONLY_DBMOVED', 1032, 'READ_ONLY', /can be read but not written$/, /--store/],
    ['IOERR_FSYNC', 1034, 'STORE_UNAVAILABLE', /the disk/, /Check the disk/],
    ['CORRUPT_VTAB', 267, 'STORE_UNAVAILABLE', /is damaged$/, /copy/],
    ['FULL', 13, 'STORE_UNAVAILABLE', /the disk is full$/, /Free some space/],
    ['CANTOPEN', 14, 'STORE_UNAVAILABLE', /cannot be opened$/, /--store/],
    ['NOTADB', 26, 'STORE_UNAVAILABLE', /not a kairos store/, /--store/],
    ['CONSTRAINT_TRIGGER', 1811, 'INTERNAL', /refused a statement on \/x\/k.db: refused$/, /report/],
  ])('%s names the file, the reason and the remedy', (_, errcode, code, message, hint) => {
    const cause = sqlite(errcode);
    const error = toKairosError(cause, '/x/k.db');
    expect(error).toBeInstanceOf(KairosError);
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
      cause,
    });
    expect((error as Error).message).toContain('/x/k.db');
  });

  it('reports that a closed store is closed', () => {
    const cause = Object.assign(new Error('database is not open'), { code: 'ERR_INVALID_STATE' });
    expect(toKairosError(cause, 'k.db')).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'the store k.db is closed',
    });
  });

  it('lets other errors through', () => {
    const own = new KairosError('INTERNAL', 'x');
    const other = new TypeError('y');
    expect(toKairosError(own, 'k.db')).toBe(own);
    expect(toKairosError(other, 'k.db')).toBe(other);
  });
});

describe('codes', () => {
  it('are distinguished', () => {
    expect([resultCode(sqlite(517)), resultCode(new Error('x')), resultCode(null)]).toEqual([5, null, null]);
    expect([isBusy(sqlite(5)), isBusy(sqlite(262)), isBusy(sqlite(13))]).toEqual([true, true, false]);
    expect([isInaccessible(sqlite(14)), isInaccessible(sqlite(264)), isInaccessible(sqlite(11))]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

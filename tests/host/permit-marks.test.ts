import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { permitMarks } from '../../src/host/files/private-files.ts';

let root: string;
let folders: [string, string];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kairos-marks-'));
  folders = [join(root, 'home'), join(root, 'data')];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const KEY = 'a'.repeat(64);
const NOON = Date.UTC(2026, 0, 15, 12);
const clockFiles = () => folders.map((folder) => readFileSync(join(folder, 'newest-instant'), 'utf8'));

describe('the mark of a used permit', () => {
  it('is made in each folder, and only the first use makes it', async () => {
    const marks = permitMarks(folders);
    await marks.prepare();
    expect(await marks.use(KEY)).toBe(true);
    for (const folder of folders) expect(readdirSync(folder)).toEqual([KEY]);
    expect(await permitMarks(folders).use(KEY)).toBe(false);
  });

  it.each([0, 1] as const)('counts from one folder alone: %s', async (at) => {
    const marks = permitMarks(folders);
    await marks.prepare();
    await marks.use(KEY);
    rmSync(folders[at], { recursive: true });
    await marks.prepare();
    expect(await marks.use(KEY)).toBe(false);
  });

  it('is made at most once by 50 callers at the same time, in one folder exactly once', async () => {
    const race = async (given: readonly string[]) => {
      const marks = permitMarks(given);
      await marks.prepare();
      const results = await Promise.all(Array.from({ length: 50 }, () => marks.use(KEY)));
      return results.filter(Boolean).length;
    };
    expect(await race(folders)).toBeLessThanOrEqual(1);
    expect(await race([join(root, 'alone')])).toBe(1);
  });

  it('is refused before the use in a folder that others can write to, or that is a file', async () => {
    mkdirSync(folders[1]);
    chmodSync(folders[1], 0o777);
    const refused = { code: 'FILE_UNWRITABLE', hint: expect.stringContaining('The permit is unused.') };
    await expect(permitMarks(folders).prepare()).rejects.toMatchObject(refused);
    rmSync(folders[1], { recursive: true });
    writeFileSync(folders[1], '');
    await expect(permitMarks(folders).prepare()).rejects.toMatchObject(refused);
  });
});

describe('the newest instant that was seen', () => {
  it('is kept in each folder, and a clock that is set back does not lower it', async () => {
    const marks = permitMarks(folders);
    expect(await marks.seen(NOON)).toBe(0);
    expect(clockFiles()).toEqual([String(NOON), String(NOON)]);
    expect(await permitMarks(folders).seen(NOON - 3_600_000)).toBe(NOON);
    expect(clockFiles()).toEqual([String(NOON), String(NOON)]);
    expect(await marks.seen(NOON + 1000)).toBe(NOON);
    expect(await marks.seen(NOON)).toBe(NOON + 1000);
  });

  it.each([0, 1] as const)('is the newer one of the folders, also where one was removed: %s', async (at) => {
    const marks = permitMarks(folders);
    await marks.seen(NOON);
    rmSync(folders[at], { recursive: true });
    expect(await marks.seen(NOON - 1)).toBe(NOON);
    writeFileSync(join(folders[1 - at]!, 'newest-instant'), String(NOON + 5000));
    expect(await marks.seen(NOON)).toBe(NOON + 5000);
  });

  it('of a file that is not a number is not known, and is written again', async () => {
    const marks = permitMarks(folders);
    await marks.seen(NOON);
    for (const folder of folders) writeFileSync(join(folder, 'newest-instant'), 'yesterday');
    expect(await marks.seen(NOON)).toBe(0);
    expect(clockFiles()).toEqual([String(NOON), String(NOON)]);
  });
});

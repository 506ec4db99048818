import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../src/base/canonical.ts';
import { readFileAt } from '../../../../src/host/outputs/reader.ts';

/** Where the system does not say where an open file lies, and something happens after it was opened. */
const after = { opened: () => {}, says: true };
const system: Parameters<typeof readFileAt>[2] = {
  open: async (...args) => {
    const handle = await promises.open(...args);
    after.opened();
    return handle;
  },
  readlink: (async (path: string) => {
    if (!after.says) throw new Error('no such folder');
    return promises.readlink(path);
  }) as typeof promises.readlink,
};
const read = (path: string, limits: Parameters<typeof readFileAt>[1]) => readFileAt(path, limits, system);

const LIMITS = { bytes: 1000, keep: 1000 };
let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-read-')));
  for (const [folder, text] of [
    ['in', 'inside'],
    ['out', 'secret'],
  ]) {
    mkdirSync(join(base, folder!));
    writeFileSync(join(base, folder!, 'a'), text!);
  }
});
afterEach(() => {
  after.opened = () => {};
  rmSync(base, { recursive: true, force: true });
});

describe.each([true, false])('where the system reports what is open: %s', (says) => {
  beforeEach(() => {
    after.says = says;
  });

  test('a file is read', async () => {
    expect(await read(join(base, 'in', 'a'), LIMITS)).toEqual({
      size: 6,
      sha256: sha256Hex('inside'),
      bytes: Buffer.from('inside'),
    });
    expect(await read(join(base, 'in', 'a'), { bytes: 6, keep: -1 })).toMatchObject({ bytes: null });
    expect(await read(join(base, 'in', 'a'), { bytes: 5, keep: 5 })).toBe('too-large');
    expect(await read(join(base, 'in', 'b'), LIMITS)).toBe('changed');
    expect(await read(join(base, 'in', 'a', 'b'), LIMITS)).toBe('changed');
    expect(await read(join(base, 'in'), LIMITS)).toBe('not-a-file');
  });

  test('a link is not followed, at the end or on the way', async () => {
    symlinkSync(join(base, 'out', 'a'), join(base, 'in', 'link'));
    symlinkSync(join(base, 'out'), join(base, 'way'));
    expect(await read(join(base, 'in', 'link'), LIMITS)).toBe('link');
    expect(await read(join(base, 'way', 'a'), LIMITS)).toBe('link');
  });

  test('what is exchanged once it is open is refused: the file, or the folder', async () => {
    after.opened = () => {
      writeFileSync(join(base, 'in', 'new'), 'inside');
      renameSync(join(base, 'in', 'new'), join(base, 'in', 'a'));
    };
    expect(await read(join(base, 'in', 'a'), LIMITS)).toBe('link');
    after.opened = () => {
      renameSync(join(base, 'in'), join(base, 'kept'));
      symlinkSync(join(base, 'out'), join(base, 'in'));
    };
    expect(await read(join(base, 'in', 'a'), LIMITS)).toBe('link');
  });

  test('what is written to once it is open is refused', async () => {
    after.opened = () => writeFileSync(join(base, 'in', 'a'), 'other!');
    expect(['changed', 'inside', 'other!']).toContain(
      await read(join(base, 'in', 'a'), LIMITS).then((read) =>
        typeof read === 'string' ? read : String(read.bytes),
      ),
    );
  });
});

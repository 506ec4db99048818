import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveWorkdir } from '../../../src/host/commands/shell-step.ts';
import { isInside } from '../../../src/host/files/paths.ts';

let base: string;
let root: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-workdir-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'sub', 'deep'), { recursive: true });
  mkdirSync(join(base, 'root-sibling'));
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'sub'), join(root, 'inward'));
  symlinkSync(base, join(root, 'outward'));
  symlinkSync(join(base, 'nowhere'), join(root, 'dangling'));
  symlinkSync(root, join(base, 'link-to-root'));
});
afterAll(() => rmSync(base, { recursive: true }));

describe('resolveWorkdir', () => {
  it('resolves what lies inside', async () => {
    expect(await resolveWorkdir(root)).toBe(root);
    expect(await resolveWorkdir(root, 'sub/deep')).toBe(join(root, 'sub', 'deep'));
    expect(await resolveWorkdir(root, './sub/')).toBe(join(root, 'sub'));
    expect(await resolveWorkdir(root, join(root, 'sub'))).toBe(join(root, 'sub'));
    expect(await resolveWorkdir(root, 'inward/deep')).toBe(join(root, 'sub', 'deep'));
    expect(await resolveWorkdir(join(base, 'link-to-root'), 'sub')).toBe(join(root, 'sub'));
  });

  it.each([
    ['..', 'must not go upwards with ".."'],
    ['sub/../sub', 'must not go upwards with ".."'],
    ['sub\\..\\..', 'must not go upwards with ".."'],
    ['/', 'lies outside the working directory'],
    ['outward', 'lies outside the working directory'],
    ['outward/root-sibling', 'lies outside the working directory'],
    ['dangling', 'does not exist'],
    ['absent', 'does not exist'],
    ['file', 'is not a directory'],
    ['a\0b', 'contains a NUL character'],
  ])('refuses %j', async (workdir, reason) => {
    await expect(resolveWorkdir(root, workdir)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `workdir ${JSON.stringify(workdir)} ${reason}`,
      hint: `Name a directory inside ${root}.`,
    });
  });

  it('reports that the root itself cannot be read', async () => {
    await expect(resolveWorkdir(join(base, 'absent'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});

describe('isInside', () => {
  it('is not fooled by a common beginning', () => {
    expect(isInside('/a/b', '/a/b')).toBe(true);
    expect(isInside('/a/b', '/a/b/..c')).toBe(true);
    expect(isInside('/a/b', '/a/bc')).toBe(false);
    expect(isInside('/a/b', '/a')).toBe(false);
    expect(isInside('/', '/a')).toBe(true);
  });
});

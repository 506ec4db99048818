import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../../src/host/files/write-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-write-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const failure = (path: string, replace: boolean) =>
  writeFileAtomically(path, 'new', replace).then(
    () => 'written',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

describe('writeFileAtomically', () => {
  it('writes a new file and leaves no other file behind', async () => {
    const path = join(folder, 'run.jsonl');
    await writeFileAtomically(path, 'text\n', false);
    expect(readFileSync(path, 'utf8')).toBe('text\n');
    expect(readdirSync(folder)).toEqual(['run.jsonl']);
  });

  it('replaces a file only when asked to', async () => {
    const path = join(folder, 'run.jsonl');
    writeFileSync(path, 'old');
    expect(await failure(path, false)).toBe(`FILE_UNWRITABLE: ${path} exists already`);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(await failure(path, true)).toBe('written');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['run.jsonl']);
  });

  it("reports why a file can't be written", async () => {
    mkdirSync(join(folder, 'sub'));
    expect(await failure(join(folder, 'none', 'x'), false)).toMatch(/ lies in a folder that does not exist$/);
    expect(await failure(join(folder, 'sub'), true)).toMatch(/ is a directory$/);
    expect(await failure(join(folder, 'sub'), false)).toMatch(/ exists already$/);
    expect(existsSync(join(folder, 'sub'))).toBe(true);
    expect(readdirSync(folder)).toEqual(['sub']);
  });

  it('lets one of several writers have a name', async () => {
    const path = join(folder, 'run.jsonl');
    const ends = await Promise.all(Array.from({ length: 8 }, () => failure(path, false)));
    expect(ends.filter((end) => end === 'written')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['run.jsonl']);
  });

  it.skipIf(process.platform === 'win32')('makes the file that a link is waiting for', async () => {
    mkdirSync(join(folder, 'out'));
    symlinkSync(join('out', 'new'), join(folder, 'link'));
    symlinkSync('link', join(folder, 'far'));
    await writeFileAtomically(join(folder, 'far'), 'text', true);
    expect(readFileSync(join(folder, 'out', 'new'), 'utf8')).toBe('text');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    symlinkSync('b', join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    expect(await failure(join(folder, 'a'), true)).toMatch(/^FILE_UNWRITABLE: .*ELOOP/);
  });

  it.skipIf(process.platform === 'win32')('follows links, and keeps who may read', async () => {
    const path = join(folder, 'link');
    writeFileSync(join(folder, 'real'), 'old');
    chmodSync(join(folder, 'real'), 0o640);
    symlinkSync('real', path);
    expect(await failure(path, true)).toBe('written');
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await writeFileAtomically(path, 'newer', true, 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['link', 'real']);
  });
});

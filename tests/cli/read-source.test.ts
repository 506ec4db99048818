import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../../src/host/files/read-source.ts';
import { fakeIo } from '../support/cli-io.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kairos-read-'));
  writeFileSync(join(cwd, 'plain.md'), '\ufeff# Ünïcode\r\n');
  writeFileSync(join(cwd, 'full.md'), 'x'.repeat(1024 * 1024));
  writeFileSync(join(cwd, 'large.md'), 'x'.repeat(1024 * 1024 + 1));
  writeFileSync(join(cwd, 'latin.md'), Buffer.from([0x23, 0x20, 0xe9, 0x0a]));
  writeFileSync(join(cwd, 'nul.md'), 'ok\na\0b');
  writeFileSync(join(cwd, 'secret.md'), 'mine');
  chmodSync(join(cwd, 'secret.md'), 0);
  mkdirSync(join(cwd, 'folder'));
  symlinkSync('loop.md', join(cwd, 'loop.md'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const read = (path: string, stdin?: string) => readSource(path, fakeIo({ cwd, stdin }).io);
const failure = (path: string, stdin?: string) =>
  read(path, stdin).then(
    () => 'read',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

describe('readSource', () => {
  it('returns a text unchanged, including its BOM and line ends', async () => {
    expect(await read('plain.md')).toBe('\ufeff# Ünïcode\r\n');
    expect(await read(join(cwd, 'plain.md'))).toBe('\ufeff# Ünïcode\r\n');
  });

  it('reads standard input, an empty one too', async () => {
    expect(await read('-', '# From a pipe')).toBe('# From a pipe');
    expect(await read('-')).toBe('');
  });

  it('reads 1 MiB and not a byte more', async () => {
    expect(await read('full.md')).toHaveLength(1024 * 1024);
    expect(await failure('large.md')).toBe('FILE_UNREADABLE: large.md has more than 1 MiB');
    expect(await failure('-', 'x'.repeat(1024 * 1024 + 1))).toBe(
      'FILE_UNREADABLE: standard input has more than 1 MiB',
    );
  });

  it.each([
    ['missing.md', 'missing.md does not exist'],
    ['plain.md/deeper', 'plain.md/deeper does not exist'],
    ['folder', 'folder is a directory'],
    ['loop.md', 'loop.md is a circle of links'],
    ['latin.md', 'latin.md is not valid UTF-8 (line 1, column 3)'],
    ['nul.md', 'nul.md contains a NUL character, so it is not a text file (line 2, column 2)'],
    ['x'.repeat(300), `${'x'.repeat(300)} is too long for the name of a file`],
  ])('reports what is wrong with %s', async (path, message) => {
    expect(await failure(path)).toBe(`FILE_UNREADABLE: ${message}`);
  });

  it.skipIf(process.getuid?.() === 0)('reports a file that the user may not read', async () => {
    expect(await failure('secret.md')).toBe('FILE_UNREADABLE: secret.md may not be read by you');
  });

  it.skipIf(process.platform === 'win32')('reads a pipe by its name', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const reading = read('pipe');
    await writeFile(join(cwd, 'pipe'), '# Through');
    expect(await reading).toBe('# Through');
  });
});

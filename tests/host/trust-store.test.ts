import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileTrustStore } from '../../src/host/trust/trust-store.ts';

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'kairos-trust-'));
  folder = join(base, 'deep', 'trust');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const record = (digest: string, trustedAt = '2026-01-01T00:00:00.000Z') => ({
  digest,
  chainId: '11111111-1111-5111-8111-111111111111',
  slug: 'release',
  title: 'Release it',
  trustedAt,
  by: 'me',
});
const pathOf = (digest: string) => join(folder, `${digest}.json`);

describe('fileTrustStore', () => {
  it('trusts nothing before something was granted, and makes nothing', async () => {
    const store = fileTrustStore(folder);
    expect(await store.get(A)).toBeNull();
    expect(await store.list()).toEqual([]);
    expect(await store.revoke(A)).toBe(false);
    expect(readdirSync(base)).toEqual([]);
  });

  it('keeps what was granted, newest first, until it is revoked', async () => {
    const store = fileTrustStore(folder);
    await store.grant(record(A));
    await store.grant(record(B, '2026-02-01T00:00:00.000Z'));
    await store.grant({ ...record(A), title: 'Release it again' });
    expect(await store.get(A)).toEqual({ ...record(A), title: 'Release it again' });
    expect(await fileTrustStore(folder).list()).toEqual([
      record(B, '2026-02-01T00:00:00.000Z'),
      { ...record(A), title: 'Release it again' },
    ]);
    expect(await store.revoke(A)).toBe(true);
    expect(await store.get(A)).toBeNull();
    expect(readdirSync(folder)).toEqual([`${B}.json`]);
  });

  it('is closed to others', async () => {
    await fileTrustStore(folder).grant(record(A));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(pathOf(A)).mode & 0o777).toBe(0o600);
  });

  it('survives many parallel grants', async () => {
    const digests = [...'0123456789'].map((digit) => digit.repeat(64));
    await Promise.all(
      digests.flatMap((digest) => [0, 1, 2].map(() => fileTrustStore(folder).grant(record(digest)))),
    );
    expect((await fileTrustStore(folder).list()).map(({ digest }) => digest)).toEqual(digests);
  });

  it.each(['', 'A'.repeat(64), '../../etc/passwd', `${A}x`])('rejects %j as a digest', async (digest) => {
    const store = fileTrustStore(folder);
    const refusal = { code: 'INVALID_INPUT' };
    await expect(store.get(digest)).rejects.toMatchObject(refusal);
    await expect(store.grant(record(digest))).rejects.toMatchObject(refusal);
    await expect(store.revoke(digest)).rejects.toMatchObject(refusal);
  });

  const spoilt: [name: string, spoil: () => void, message: string][] = [
    ['writable by the group', () => chmodSync(pathOf(A), 0o620), 'others can write to it (mode 0620)'],
    ['writable by all', () => chmodSync(pathOf(A), 0o602), 'others can write to it (mode 0602)'],
    ['a link', () => replaceByLink(pathOf(A)), 'it is a symbolic link'],
    ['a directory', () => replace(pathOf(A), (path) => mkdirSync(path)), 'it is not a regular file'],
    [
      'a FIFO',
      () => replace(pathOf(A), (path) => execFileSync('sh', ['-c', 'mkfifo "$0"', path])),
      'it is not a regular file',
    ],
    ['no JSON', () => writeFileSync(pathOf(A), '{'), 'JSON'],
    ['null', () => writeFileSync(pathOf(A), 'null'), 'a field is missing'],
    ['incomplete', () => writeFileSync(pathOf(A), `{"digest":"${A}"}`), 'a field is missing'],
    [
      'of another digest',
      () => writeFileSync(pathOf(A), JSON.stringify(record(B))),
      'it is about another digest',
    ],
    ['too large', () => writeFileSync(pathOf(A), ' '.repeat((1 << 20) + 1)), 'it is larger than 1 MiB'],
    [
      'in a folder that others can write to',
      () => chmodSync(folder, 0o770),
      'others can write to it (mode 0770)',
    ],
    ['behind a link to a folder', () => replaceByLink(folder), 'it is not a folder, or a link to one'],
  ];

  it.each(spoilt)('refuses a record that is %s', async (_name, spoil, message) => {
    const store = fileTrustStore(folder);
    await store.grant(record(A));
    spoil();
    const refusal = {
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    };
    await expect(store.get(A)).rejects.toMatchObject(refusal);
    await expect(store.list()).rejects.toMatchObject(refusal);
  });

  it('does not write into a folder that others can write to', async () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    await expect(fileTrustStore(folder).grant(record(A))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

function replace(path: string, make: (path: string) => void): void {
  rmSync(path);
  make(path);
}

function replaceByLink(path: string): void {
  const moved = `${path}.moved`;
  execFileSync('mv', [path, moved]);
  symlinkSync(moved, path);
}

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSqliteDriver, writeTransaction } from '../../../src/store/sqlite/driver.ts';
import { toKairosError } from '../../../src/store/sqlite/errors.ts';
import { createRun } from '../../../src/store/sqlite/ledger.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { begun, contentOf, next, revisionOf, SPACE } from '../builders.ts';
import { bundleWorker, removeWorker, runWorker } from './workers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-bad-files-'));
const isRoot = process.getuid?.() === 0;
/** Permissions bind nobody who is root, so then another user looks. */
const uid = isRoot ? 65_534 : undefined;
let worker: string;
let path: string;
let count = 0;

beforeAll(async () => {
  worker = await bundleWorker();
  chmodSync(folder, 0o755);
});
beforeEach(() => {
  count += 1;
  mkdirSync(join(folder, `${count}`), { mode: 0o755 });
  path = join(folder, `${count}`, 'k.db');
});
afterAll(() => {
  removeWorker(worker);
  rmSync(folder, { recursive: true, force: true });
});

async function makeStore(at = path): Promise<void> {
  const store = await openSqliteStore(at);
  await store.putRevision(revisionOf(contentOf()), null);
  await store.close();
}

/** Runs a task in a process of its own: Node 20's library keeps a file open until its process ends. */
const apart = (task: string, at = path) => runWorker(worker, [task, at], { uid });
const SEES = [{ chains: [contentOf().slug] }, { found: 1 }];
const READ_ONLY = {
  code: 'READ_ONLY',
  message: expect.stringContaining('can be read but not written'),
  hint: expect.stringContaining('--store'),
};

describe('a file that is not a store', () => {
  it('a folder', async () => {
    mkdirSync(path);
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is a folder`,
      hint: 'Name a file in it, for example kairos.db.',
    });
  });

  it('a text, not changed', async () => {
    writeFileSync(path, 'Dear diary, today I did not write a database. '.repeat(100));
    const before = readFileSync(path);
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is not a kairos store: the file is not a SQLite database`,
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it('a path through a file', async () => {
    writeFileSync(path, '');
    await expect(openSqliteStore(join(path, 'x.db'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('cannot be read (E'),
      hint: expect.stringContaining('--store'),
    });
  });

  it.skipIf(process.platform === 'win32')('a pipe, without waiting for it', async () => {
    execFileSync('mkfifo', [path]);
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is not a regular file`,
    });
  });

  it('an empty file becomes a store', async () => {
    writeFileSync(path, '');
    await makeStore();
    expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
  });

  it('a missing file that is only to be read', async () => {
    await expect(openSqliteStore(path, { readOnly: true })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(existsSync(path)).toBe(false);
  });
});

describe('a damaged store', () => {
  it('whose pages are overwritten is reported and gives no half answers', async () => {
    const made = join(folder, `${count}`, 'made.db');
    const store = await openSqliteStore(made);
    for (let at = 0; at < 50; at += 1)
      await store.putRevision(revisionOf(contentOf({ slug: `s-${at}` })), null);
    await store.close();
    const bytes = readFileSync(made);
    bytes.fill(0xa5, 4096 * 3);
    writeFileSync(path, bytes);
    const spoiled = openSqliteStore(path).then((opened) => opened.listChains([SPACE]));
    await expect(spoiled).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is damaged`,
      hint: expect.stringContaining('Restore it from a copy'),
    });
  });

  it('that was cut off is reported', async () => {
    const made = join(folder, `${count}`, 'made.db');
    await makeStore(made);
    copyFileSync(made, path);
    truncateSync(path, 10_000);
    await expect(openSqliteStore(path).then((opened) => opened.listChains([SPACE]))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} is damaged`,
    });
  });
});

describe('a store locked by another process', () => {
  it('can be read; a write gives up after its time and reports why; then all is well', async () => {
    await makeStore();
    let tried: Promise<void> | undefined;
    const { lines } = await runWorker(worker, ['hold', path], {
      onLine: (_, child) => {
        tried = (async () => {
          const store = await openSqliteStore(path, { busyTimeoutMs: 200 });
          expect(await store.listChains([SPACE])).toHaveLength(1);
          await expect(store.createRun('r1', 1, [begun('r1')])).rejects.toMatchObject({
            code: 'STORE_UNAVAILABLE',
            message: `the store ${path} is locked by another process`,
            hint: 'Nothing was written. Wait until that process is done, or end it, and try again.',
          });
          expect(await store.readEntries('r1')).toEqual([]);
          child.stdin?.end();
          await store.close();
        })().finally(() => child.stdin?.end());
      },
    });
    expect(lines).toEqual([{ held: true }]);
    await tried;
    const store = await openSqliteStore(path);
    expect(await store.createRun('r1', 1, [begun('r1')])).toBe(true);
    await store.close();
  });
});

describe('a store without room', () => {
  it('(page limit) stores nothing of an append that does not fit, and continues once there is room', async () => {
    const { connection, path: name } = await openDatabase(await loadSqliteDriver(), path);
    const first = begun('r1');
    writeTransaction(connection, () => createRun(connection, 'r1', 1, [first]));
    const pages = Number(connection.prepare('PRAGMA page_count').get()?.page_count);
    connection.exec(`PRAGMA max_page_count = ${pages}`);
    const big = Array.from({ length: 20 }, (_, at) => begun(`big-${at}`, { title: 'x'.repeat(4000) }));
    const fill = () =>
      writeTransaction(connection, () =>
        big.map((entry, at) => createRun(connection, entry.run_id, at + 2, [entry])),
      );
    let error: unknown;
    try {
      fill();
    } catch (caught) {
      error = toKairosError(caught, name);
    }
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `the store ${path} has no room left: the disk is full`,
      hint: 'Nothing was written. Free some space and try again.',
    });
    expect(connection.prepare('SELECT count(*) AS runs FROM run').get()).toEqual({ runs: 1 });
    connection.exec('PRAGMA max_page_count = 100000');
    expect(fill()).toEqual(big.map(() => true));
    connection.close();
  });

  it.skipIf(!canMount())('(a full tmpfs) loses nothing that was acknowledged', async () => {
    const disk = join(folder, `${count}`, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk]);
    try {
      const { code, lines } = await runWorker(worker, ['fill', join(disk, 'k.db')]);
      const refusal = lines.pop();
      expect(code).toBe(1);
      expect(refusal).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('has no room left'),
      });
      expect(lines.length).toBeGreaterThan(5);
      const store = await openSqliteStore(join(disk, 'k.db'), { readOnly: true });
      const kept = (await store.listChains([SPACE])).map(({ slug }) => slug);
      expect(lines.map(({ slug }) => slug).toSorted()).toEqual(kept);
      await store.close();
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});

describe('a store that can only be read', () => {
  it('(asked for) answers reads and refuses every write', async () => {
    await makeStore();
    const store = await openSqliteStore(path, { readOnly: true });
    expect(await store.listChains([SPACE])).toHaveLength(1);
    expect(await store.searchChains({ query: 'plants', limit: 5, spaces: [SPACE] })).toHaveLength(1);
    const { chainId, digest } = revisionOf(contentOf());
    for (const refused of [
      () => store.putRevision(revisionOf(contentOf({ title: 'x' })), digest),
      () => store.deleteChain(chainId),
      () => store.rate(chainId, digest, 'success', 0),
      () => store.createRun('r1', 1, [begun('r1')]),
      () => store.appendEntries('r1', 1, [next(begun('r1'), 'step.shown')]),
    ]) {
      await expect(refused()).rejects.toMatchObject({ ...READ_ONLY, message: expect.stringContaining(path) });
    }
    await store.close();
  });

  it.skipIf(process.platform === 'win32')('(file mode 0444, not as root) answers reads', async () => {
    await makeStore();
    chmodSync(path, 0o444);
    expect((await apart('look')).lines).toEqual([...SEES, expect.objectContaining(READ_ONLY)]);
  });

  it.skipIf(process.platform === 'win32')('(folder mode 0555, not as root) answers reads', async () => {
    // Made by a process of its own, so that no -wal and -shm stay behind to help.
    const made = join(folder, `${count}`, 'made.db');
    await makeStore(made);
    copyFileSync(made, path);
    chmodSync(path, 0o444);
    rmSync(made);
    for (const left of ['-wal', '-shm']) rmSync(`${made}${left}`, { force: true });
    chmodSync(join(folder, `${count}`), 0o555);
    expect((await apart('look')).lines).toEqual([...SEES, expect.objectContaining(READ_ONLY)]);
    chmodSync(join(folder, `${count}`), 0o755);
  });

  it.skipIf(!canMount())('(a read-only mount) answers reads, and follows another writer', async () => {
    const disk = join(folder, `${count}`, 'disk');
    const view = join(folder, `${count}`, 'view');
    mkdirSync(disk);
    mkdirSync(view);
    const made = join(folder, `${count}`, 'made.db');
    await makeStore(made);
    copyFileSync(made, join(disk, 'k.db'));
    execFileSync('mount', ['--bind', disk, view]);
    try {
      execFileSync('mount', ['-o', 'remount,bind,ro', view]);
      const store = await openSqliteStore(join(view, 'k.db'));
      expect(await store.listChains([SPACE])).toHaveLength(1);
      await expect(store.createRun('r1', 1, [begun('r1')])).rejects.toMatchObject({ code: 'READ_ONLY' });
      expect((await runWorker(worker, ['look', join(disk, 'k.db')])).lines).toEqual([
        ...SEES,
        { written: 'stored' },
      ]);
      expect(await store.listChains([SPACE])).toHaveLength(2);
      await store.close();
    } finally {
      execFileSync('umount', ['-l', view]);
    }
  });

  it.skipIf(process.platform === 'win32')(
    '(file mode 0000, not as root) reports that it cannot be read',
    async () => {
      await makeStore();
      chmodSync(path, 0o000);
      expect((await apart('look')).lines).toEqual([
        {
          code: 'STORE_UNAVAILABLE',
          message: `the store ${path} cannot be read (EACCES)`,
          hint: expect.stringContaining('permission'),
        },
      ]);
    },
  );

  it.skipIf(process.platform === 'win32')(
    '(missing, folder mode 0555, not as root) reports that it cannot be made',
    async () => {
      chmodSync(join(folder, `${count}`), 0o555);
      expect((await apart('look')).lines).toEqual([
        {
          code: 'STORE_UNAVAILABLE',
          message: `the store ${path} does not exist and cannot be made (EACCES)`,
          hint: expect.stringContaining('permission'),
        },
      ]);
      chmodSync(join(folder, `${count}`), 0o755);
    },
  );
});

/** Whether this process may mount file systems: root on Linux outside most containers. */
function canMount(): boolean {
  if (!isRoot || process.platform !== 'linux') return false;
  const probe = mkdtempSync(join(tmpdir(), 'kairos-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', probe], { stdio: 'ignore' });
    execFileSync('umount', [probe], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

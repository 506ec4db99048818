import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSqliteDriver } from '../../src/store/sqlite/driver.ts';
import {
  type CliHome,
  type CliResult,
  KAIROS_BIN,
  kairos,
  kairosJson,
  makeHome,
  SPAWNS,
} from '../support/cli.ts';
import { protocolOf, stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Stores that cannot be used, or not for writing: said with a remedy, nothing lost, never taken for an empty one. */
let home: CliHome;
/** A store with one protocol and one sealed run, and that run. */
let good: string;
let runId: string;
let asked: { path: string; digest: string };
let locked: Awaited<ReturnType<typeof lockStore>>;

beforeAll(async () => {
  home = makeHome();
  good = join(home.work, 'good.db');
  asked = await protocolFile(home, protocolOf(['comment'], 'A good one'));
  writeFileSync(join(home.work, 'other.md'), protocolOf(['comment'], 'Another one'));
  const answers = answersFile(home, {
    1: 'Looked at all of it with both eyes open.',
    closing: 'It went well from start to end.',
  });
  await kairos(home, ['mint', asked.path, '--store', good]);
  const run = await kairosJson(home, ['run', 'a-good-one', '--store', good, '--answers', answers]);
  runId = String(run.objects.at(-1)?.run_id);
  locked = await lockStore();
});
afterAll(() => home.remove());

/** Locks a store of its own and lets three calls wait for it, which they do for 15 seconds: meanwhile the tests go on. */
async function lockStore() {
  const path = join(home.work, 'locked.db');
  copyFileSync(good, path);
  const connection = (await loadSqliteDriver()).connect(path, { readOnly: false });
  connection.exec('BEGIN IMMEDIATE');
  const tries = Promise.all(
    [
      ['mint', 'other.md'],
      ['run', './other.md', '--answers', 'answers.yaml'],
      ['begin', 'a-good-one'],
    ].map((args) => kairos(home, [...args, '--store', path], { timeoutMs: 60_000 })),
  );
  return { path, connection, tries };
}

const hint = expect.stringMatching(/^hint: \S/m);
function expectRefused(result: CliResult, said: RegExp): void {
  const { code, signal, stdout, stderr } = result;
  expect({ code, signal, stdout, stderr }).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(said),
  });
  expect(stderr).toEqual(hint);
  expect(stderr).not.toMatch(/^\s+at /m);
}

/** Every kind of call that needs the store. */
const CALLS = (path: string) => [
  ['run', path, '--answers', 'answers.yaml'],
  ['run', 'a-good-one', '--answers', 'answers.yaml'],
  ['mint', path],
  ['show', 'a-good-one'],
  ['verify', '00000000-0000-4000-8000-000000000000'],
];

describe('an invalid store', () => {
  const text = 'Dear diary, today I did not write a database. '.repeat(200);
  const MAKE: Record<string, { make: (path: string) => void; said: RegExp }> = {
    text: { make: (path) => writeFileSync(path, text), said: /not a kairos store: the file is not a SQLite/ },
    folder: { make: (path) => mkdirSync(path), said: /is a folder/ },
    ...(process.platform === 'win32'
      ? {}
      : { pipe: { make: (path: string) => execFileSync('mkfifo', [path]), said: /not a regular file/ } }),
  };

  it.each(Object.entries(MAKE))('%s', async (name, { make, said }) => {
    const path = join(home.work, `${name}.db`);
    make(path);
    for (const args of CALLS(asked.path)) expectRefused(await kairos(home, [...args, '--store', path]), said);
    if (name === 'text') expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(home.work).filter((entry) => entry.startsWith(`${name}.db-`))).toEqual([]);
  });

  it('cannot be made below a file', async () => {
    const path = join(asked.path, 'k.db');
    expectRefused(await kairos(home, ['mint', asked.path, '--store', path]), /cannot be (?:read|made)/);
  });
});

describe('a store of a newer kairos', () => {
  it('is left alone', async () => {
    const path = join(home.work, 'newer.db');
    copyFileSync(good, path);
    const connection = (await loadSqliteDriver()).connect(path, { readOnly: false });
    connection.exec('PRAGMA user_version = 9999');
    connection.close();
    const before = readFileSync(path);
    for (const args of CALLS(asked.path))
      expectRefused(await kairos(home, [...args, '--store', path]), /newer/);
    expect(readFileSync(path)).toEqual(before);
  });
});

/** As root permissions bind nobody, so then somebody else looks. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const asReader = (args: string[]) =>
  spawnSync(process.execPath, [KAIROS_BIN, ...args], {
    cwd: home.work,
    env: {
      ...home.env,
      KAIROS_DATA_DIR: join(home.root, 'reader'),
      KAIROS_CONFIG_DIR: join(home.root, 'none'),
    },
    encoding: 'utf8',
    ...(isRoot ? { uid: NOBODY } : {}),
  });
const readerWorks =
  SPAWNS &&
  process.platform !== 'win32' &&
  spawnSync(process.execPath, [KAIROS_BIN, '--version'], isRoot ? { uid: NOBODY } : {}).status === 0;

describe.skipIf(!readerWorks)('a store that can only be read', () => {
  it('is read, and refuses what would change it', () => {
    const folder = join(home.work, 'closed');
    const path = join(folder, 'k.db');
    mkdirSync(folder);
    mkdirSync(join(home.root, 'reader'), { mode: 0o700 });
    if (isRoot) chownSync(join(home.root, 'reader'), NOBODY, NOBODY);
    copyFileSync(good, path);
    for (const open of [home.root, home.work]) chmodSync(open, 0o755);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const before = readFileSync(path);

    expect(asReader(['list', '--store', path])).toMatchObject({ status: 0, stderr: '' });
    expect(asReader(['verify', runId, '--store', path])).toMatchObject({ status: 0 });
    for (const args of [
      ['mint', './other.md'],
      ['run', './other.md', '--answers', 'answers.yaml'],
      ['begin', 'a-good-one'],
    ]) {
      const { status, stderr } = asReader([...args, '--store', path]);
      expect({ args, status, stderr }).toEqual({
        args,
        status: 1,
        stderr: expect.stringMatching(/can be read but not written\nhint: .*--store/),
      });
    }
    expect(readFileSync(path)).toEqual(before);
    chmodSync(folder, 0o755);
  });
});

describe('a store that another process has locked', () => {
  it('can be read; writing times out, and works once the lock is released', async () => {
    expect(await kairos(home, ['verify', runId, '--store', locked.path])).toMatchObject({ code: 0 });
    for (const result of await locked.tries) expectRefused(result, /locked by another process/);
    locked.connection.exec('ROLLBACK');
    locked.connection.close();
    expect(await kairos(home, ['mint', 'other.md', '--store', locked.path])).toMatchObject({ code: 0 });
    const { objects } = await kairosJson(home, ['runs', '--store', locked.path]);
    expect(objects).toMatchObject([{ runs: [{ run_id: runId }] }]);
  });
});

/** A small disk of one's own needs a namespace to mount it in. */
const smallDisks =
  SPAWNS &&
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', '/bin/sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt']).status === 0;

describe.skipIf(!smallDisks)('a full disk', () => {
  it('in the middle of a run loses no proof; with free space the run continues', async () => {
    const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, env: ['DISK'] } } });
    const fill = 'test -e filled || { touch filled; cat /dev/zero > "$DISK/fill" 2> /dev/null; true; }';
    const { path, digest } = await protocolFile(
      home,
      `# Fill it\n\n${stepOf('One', 'Before.', shell('echo once >> once.txt'))}\n${stepOf('Two', 'Fill.', shell(fill))}\n${stepOf('Three', 'After.', null)}`,
      'fill.md',
    );
    const answers = answersFile(home, { closing: 'It went on once there was room again.' }, 'fill.yaml');
    const script = `
      mount -t tmpfs -o size=2m tmpfs "$DISK" || exit 9
      kairos() { "$NODE" "$KAIROS" "$@" --store "$DISK/k.db"; }
      kairos run "$FILE" --trust "$DIGEST" --answers "$ANSWERS"; echo "full: $?"
      run=$(kairos runs --json | sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/'); kairos verify "$run"; echo "then: $?"
      kairos mint "$FILE"; echo "mint: $?"
      rm "$DISK/fill"
      printf 'y\\ny\\nIt went on once there was room again.\\n' | kairos resume "$run" --trust "$DIGEST"; echo "room: $?"
      kairos verify "$run"; echo "seal: $?"`;
    const disk = join(home.root, 'disk');
    mkdirSync(disk);
    const { stdout, stderr, status } = spawnSync('unshare', ['-rm', '/bin/sh', '-c', script], {
      cwd: home.work,
      env: {
        ...home.env,
        DISK: disk,
        NODE: process.execPath,
        KAIROS: KAIROS_BIN,
        FILE: path,
        DIGEST: digest,
        ANSWERS: answers,
      },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('has no room left'),
    });
    expect(stdout.match(/^(?:full|then|mint|room|seal): \d+$/gm)).toEqual([
      'full: 1',
      'then: 1',
      'mint: 1',
      'room: 0',
      'seal: 0',
    ]);
    expect(stdout).toContain('unsealed');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(readFileSync(join(home.work, 'once.txt'), 'utf8')).toBe('once\n');
  });
});

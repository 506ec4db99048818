import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../src/base/canonical.ts';
import { makeOutputReader, readFileAt } from '../../../../src/host/outputs/reader.ts';
import type { OutputCheck } from '../../../../src/protocol/schema.ts';

let base: string;
let work: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-outputs-')));
  work = join(base, 'work');
  mkdirSync(join(work, 'dist', 'deep'), { recursive: true });
  writeFileSync(join(work, 'a.txt'), 'alpha');
  writeFileSync(join(work, 'dist', 'b.js'), 'beta');
  writeFileSync(join(work, 'dist', 'c.js'), 'gamma');
  writeFileSync(join(work, 'dist', 'deep', 'd.js'), 'delta');
  writeFileSync(join(work, '.hidden'), 'dot');
  mkdirSync(join(base, 'other'));
  writeFileSync(join(base, 'other', 'secret'), 'secret');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function read(
  check: OutputCheck,
  options: { roots?: string[]; within?: string[] | null; workdir?: string | null } = {},
) {
  const { roots = [], within = null, workdir = work } = options;
  const [reading] = await (await makeOutputReader(workdir, roots)).read([check], within);
  return reading!;
}

function file(path: string, content: string, text: string | null = null) {
  return { path, size: Buffer.byteLength(content), sha256: sha256Hex(content), text };
}
const nothing = { files: [], others: false, fault: null };
const fault = (name: string, others = false) => ({ files: [], others, fault: name });

describe('what lies in the working directory', () => {
  test('is read with size and digest, and with its text only where that is asked for', async () => {
    expect(await read({ path: 'a.txt' })).toEqual({ ...nothing, files: [file('a.txt', 'alpha')] });
    expect(await read({ path: './/a.txt', sha256: 'x' })).toEqual({
      ...nothing,
      files: [file('a.txt', 'alpha')],
    });
    expect(await read({ path: 'a.txt', matches: 'x' })).toEqual({
      ...nothing,
      files: [file('a.txt', 'alpha', 'alpha')],
    });
    expect(await read({ path: 'a.txt', equals: null })).toMatchObject({ files: [{ text: 'alpha' }] });
  });

  test.each([
    ['*.txt', ['a.txt']],
    ['*', ['a.txt']],
    ['.*', ['.hidden']],
    ['dist/*.js', ['dist/b.js', 'dist/c.js']],
    ['dist/?.js', ['dist/b.js', 'dist/c.js']],
    ['dist/{c,b,x}.js', ['dist/c.js', 'dist/b.js']],
    ['**/*.js', ['dist/b.js', 'dist/c.js', 'dist/deep/d.js']],
    ['dist/**', ['dist/b.js', 'dist/c.js', 'dist/deep/d.js']],
    ['*/deep/d.js', ['dist/deep/d.js']],
    ['**/deep/*', ['dist/deep/d.js']],
  ])('%j names %j', async (path, expected) => {
    const { files, fault: none } = await read({ path });
    expect({ files: files.map((found) => found.path), none }).toEqual({ files: expected, none: null });
  });

  test('is nothing where nothing is', async () => {
    for (const path of ['b.txt', 'none/b.txt', 'a.txt/b', 'x*', 'x/**', 'y'.repeat(300)])
      expect(await read({ path })).toEqual(nothing);
  });

  test('is not even opened for an output that must be absent', async () => {
    truncateSync(join(work, 'a.txt'), 257 * 1024 * 1024);
    expect(await read({ path: 'a.txt', exists: false })).toEqual({ ...nothing, others: true });
    expect(await read({ path: 'dist', exists: false })).toEqual(fault('not-a-file', true));
    expect(await read({ path: 'b.txt', exists: false })).toEqual(nothing);
  });

  test('is not text without valid UTF-8, and is read all the same', async () => {
    writeFileSync(join(work, 'a.txt'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await read({ path: 'a.txt', matches: 'x' })).toMatchObject({
      files: [{ size: 3, text: null }],
      fault: null,
    });
  });

  test('has a folder skipped where only a wildcard names it, and reported', async () => {
    expect(await read({ path: 'dis?' })).toEqual({ ...nothing, others: true });
  });
});

describe('what is refused', () => {
  test.each(['', '../other/secret', 'dist/../../other/secret', '{a.txt,../other/secret}', 'a\0'])(
    'the path %j',
    async (path) => {
      expect(await read({ path })).toEqual(fault('path'));
    },
  );

  test('an absolute path outside, and a relative one where there is no working directory', async () => {
    expect(await read({ path: join(base, 'other', 'secret') })).toEqual(fault('outside'));
    expect(await read({ path: '/etc/passwd' })).toEqual(fault('outside'));
    expect(await read({ path: 'a.txt' }, { workdir: null })).toEqual(fault('no-folder'));
    expect(await read({ path: '/etc/passwd' }, { workdir: null })).toEqual(fault('no-folder'));
    expect(await read({ path: 'a.txt' }, { workdir: join(base, 'absent') })).toEqual(fault('no-folder'));
    expect(await read({ path: 'secret' }, { workdir: null, roots: [join(base, 'other')] })).toEqual(
      fault('no-folder'),
    );
  });

  test('links: a file, a folder on the way, one that a wildcard names, a broken one', async () => {
    symlinkSync(join(base, 'other', 'secret'), join(work, 'link'));
    symlinkSync(join(base, 'other'), join(work, 'folder'));
    symlinkSync('a.txt', join(work, 'inside'));
    symlinkSync('gone', join(work, 'dangling'));
    for (const path of ['link', 'folder/secret', 'lin?', 'inside', 'dangling', 'folder', '*/secret'])
      expect(await read({ path })).toEqual(fault('link', true));
    // Never gone into, which is no fault by itself.
    expect(await read({ path: '**/secret' })).toEqual(nothing);
  });

  test('folders, devices, pipes and sockets, without waiting for any of them', async () => {
    execFileSync('mkfifo', [join(work, 'pipe')]);
    const server = createServer().listen(join(work, 'socket'));
    try {
      for (const path of ['dist', 'pipe', 'pip?', 'socket'])
        expect(await read({ path, matches: 'x' })).toEqual(fault('not-a-file', true));
      expect(await read({ path: '/dev/zero' }, { roots: ['/dev'] })).toEqual(fault('not-a-file', true));
      expect(await readFileAt(join(work, 'pipe'), { bytes: 10, keep: 10 })).toBe('not-a-file');
    } finally {
      server.close();
    }
  });

  test('huge files, unread', async () => {
    truncateSync(join(work, 'a.txt'), 257 * 1024 * 1024);
    expect(await read({ path: 'a.txt' })).toEqual(fault('too-large'));
    truncateSync(join(work, 'a.txt'), 4 * 1024 * 1024 + 1);
    expect(await read({ path: 'a.txt' })).toMatchObject({
      files: [{ size: 4 * 1024 * 1024 + 1 }],
      fault: null,
    });
    expect(await read({ path: 'a.txt', matches: 'x' })).toEqual(fault('too-large'));
  });

  test('more files than one path may name', async () => {
    mkdirSync(join(work, 'many'));
    for (let at = 0; at < 257; at += 1) writeFileSync(join(work, 'many', `${at}`), '');
    expect(await read({ path: 'many/*' })).toEqual(fault('too-many'));
  });

  test.skipIf(process.getuid?.() === 0)('what may not be read', async () => {
    execFileSync('chmod', ['000', join(work, 'a.txt')]);
    expect(await read({ path: 'a.txt' })).toEqual(fault('unreadable'));
  });
});

describe('roots', () => {
  test('let absolute paths below them be read, by the name they were given or their own', async () => {
    symlinkSync(join(base, 'other'), join(base, 'alias'));
    const options = { roots: [join(base, 'alias')] };
    for (const folder of ['alias', 'other'])
      expect(await read({ path: join(base, folder, 'secret') }, options)).toEqual({
        ...nothing,
        files: [file(join(base, 'other', 'secret'), 'secret')],
      });
    expect(await read({ path: join(base, 'other', 's*') }, options)).toMatchObject({ files: [{ size: 6 }] });
    expect(await read({ path: 'secret' }, options)).toEqual(nothing);
    expect(await read({ path: join(work, 'a.txt') }, options)).toMatchObject({ files: [{ size: 5 }] });
  });

  test('of the client only narrow', async () => {
    const dist = { within: [join(work, 'dist')] };
    expect(await read({ path: 'dist/b.js' }, dist)).toMatchObject({ files: [{ path: 'dist/b.js' }] });
    expect(await read({ path: 'dist/*.js' }, dist)).toMatchObject({ files: [{}, {}], fault: null });
    expect(await read({ path: '*/b.js' }, dist)).toMatchObject({
      files: [{ path: 'dist/b.js' }],
      fault: null,
    });
    for (const path of ['a.txt', 'absent', '*.txt'])
      expect(await read({ path }, dist)).toMatchObject(fault('outside'));
    const wide = { within: ['/'] };
    expect(await read({ path: 'a.txt' }, wide)).toMatchObject({ files: [{}], fault: null });
    expect(await read({ path: join(base, 'other', 'secret') }, wide)).toEqual(fault('outside'));
    for (const within of [[], [join(base, 'absent')], [join(base, 'other')]])
      expect(await read({ path: 'a.txt' }, { within })).toEqual(fault('outside'));
  });

  test('are found by the place they lead to when they are links', async () => {
    symlinkSync(work, join(base, 'here'));
    expect(await read({ path: 'a.txt' }, { within: [join(base, 'here')] })).toMatchObject({ files: [{}] });
    expect(await read({ path: 'a.txt' }, { workdir: join(base, 'here') })).toMatchObject({ files: [{}] });
  });
});

describe('a process that changes files meanwhile', () => {
  const limits = { bytes: 1e9, keep: 1e9 };

  test('a file that grows while it is read is refused, or read in its old state', async () => {
    const path = join(work, 'log');
    writeFileSync(path, 'x'.repeat(1_000_000));
    const writer = spawn('sh', ['-c', `while :; do printf y >> "${path}"; done`]);
    try {
      const outcomes = new Set<string>();
      for (let round = 0; round < 5000 && !outcomes.has('changed'); round += 1) {
        const content = await readFileAt(path, limits);
        if (typeof content === 'string') outcomes.add(content);
        else expect(content.sha256).toBe(sha256Hex(content.bytes!));
      }
      expect([...outcomes]).toEqual(['changed']);
    } finally {
      writer.kill('SIGKILL');
    }
  });

  test('a folder swapped for a link is never followed', async () => {
    const swapper = spawn(
      'sh',
      [
        '-c',
        `cd "${work}" && ln -s ../other evil && echo same > dist/secret && while :; do mv dist kept && mv evil dist; mv dist evil && mv kept dist; done`,
      ],
      { detached: true },
    );
    try {
      const reader = await makeOutputReader(work, []);
      const seen = new Set<string>();
      for (let round = 0; round < 400; round += 1) {
        const [reading] = await reader.read([{ path: 'dist/secret', matches: 'x' }], null);
        for (const { text } of reading!.files) seen.add(text ?? '');
      }
      expect([...seen].filter((text) => text !== 'same\n')).toEqual([]);
    } finally {
      // Its last `mv` outlives the shell: the group is ended, and its end waited for.
      const ended = once(swapper, 'close');
      process.kill(-swapper.pid!, 'SIGKILL');
      await ended;
    }
  });

  test('a file that was replaced after it was opened is not read as the new one', async () => {
    const path = join(work, 'big');
    writeFileSync(path, Buffer.alloc(60_000_000));
    const pending = readFileAt(path, limits);
    await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(join(work, 'new'), 'new');
    renameSync(join(work, 'new'), path);
    const outcome = await pending;
    expect(typeof outcome === 'string' ? outcome : outcome.size).toSatisfy(
      (seen) => seen === 'changed' || seen === 'link' || seen === 3,
    );
  });
});

describe('for any path', () => {
  test('nothing outside of the folders is ever read, and nothing throws', async () => {
    symlinkSync(join(base, 'other'), join(work, 'way'));
    linkSync(join(work, 'a.txt'), join(work, 'twin'));
    const reader = await makeOutputReader(work, []);
    const piece = fc.constantFrom(
      ...[
        '..',
        '/',
        '.',
        '*',
        '**',
        '?',
        'way',
        'secret',
        'a.txt',
        'dist',
        '{',
        '}',
        ',',
        base,
        'other',
        '\\',
        '\0',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const [reading] = await reader.read([{ path: pieces.join(''), matches: 'x' }], null);
        expect(reading!.files.map(({ text }) => text).filter((text) => text === 'secret')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import {
  type CliHome,
  firstObject,
  KAIROS_BIN,
  kairos,
  kairosJson,
  makeHome,
  SPAWNS,
} from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

/** How the program ends: exit codes, streams that are closed, faults. */
let home: CliHome;
beforeAll(async () => {
  home = makeHome();
  for (let at = 0; at < 3; at += 1)
    writeFileSync(join(home.work, `p${at}.md`), protocolOf(['none', 'comment'], `Number ${'abc'[at]}`));
  await kairos(home, ['mint', 'p0.md', 'p1.md', 'p2.md', '--force']);
});
afterAll(() => home.remove());

const sh = (script: string) =>
  spawnSync('/bin/sh', ['-c', script], {
    cwd: home.work,
    env: { ...home.env, NODE: process.execPath, KAIROS: KAIROS_BIN },
    encoding: 'utf8',
  });

describe('the program', () => {
  it.runIf(SPAWNS)('prints its version from the bundle', async () => {
    const { code, stdout } = await kairos(home, ['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('ends with 2 on usage errors, in words or as an object', async () => {
    expect(await kairos(home, ['lsit'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean list?'),
    });
    const json = await kairosJson(home, ['list', '--frobnicate']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        code: 'USAGE',
        message: "unknown option '--frobnicate'",
        hint: expect.stringContaining('Usage: kairos list'),
        url: null,
      },
    });
  });

  it('reports what is wrong with a store, and never an empty store', async () => {
    writeFileSync(
      join(home.work, 'not-a.db'),
      'this is no database, though long enough to be looked at as one'.repeat(20),
    );
    for (const args of [['list'], ['search', 'x'], ['begin', 'x'], ['runs']]) {
      const run = await kairosJson(home, [...args, '--store', 'not-a.db']);
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } });
    }
    expect(await kairos(home, ['list', '--store', 'redis://x'])).toMatchObject({ code: 2, stdout: '' });
    expect(await kairos(home, ['list'], { env: { QDRANT_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  it('shows a stack only on request', async () => {
    const plain = await kairos(home, ['mint', 'none.md']);
    expect(plain.stderr).not.toMatch(/\n\s+at /);
    const debug = await kairos(home, ['mint', 'none.md', '--debug']);
    expect(debug.stderr).toMatch(/KairosError: none\.md does not exist\n\s+at /);
    expect(debug.stderr).toContain('caused by: Error: ENOENT');
  });

  it.each(['-', 'p0.md'])('reads a closed standard input as an empty one: mint %s', async (path) => {
    const run = await kairos(home, ['mint', path], { stdin: 'closed' });
    expect(run.code).toBe(path === '-' ? 1 : 0);
  });

  it.runIf(SPAWNS && process.platform !== 'win32')('works with streams that were closed outright', () => {
    expect(sh('"$NODE" "$KAIROS" list <&-')).toMatchObject({ status: 0, stderr: '' });
    expect(sh('"$NODE" "$KAIROS" list >&-').status).toBe(0);
    expect(sh('"$NODE" "$KAIROS" lsit 2>&-').status).toBe(2);
  });

  it.runIf(SPAWNS && process.platform !== 'win32')('ends quietly when its reader goes away', () => {
    expect(sh('"$NODE" "$KAIROS" list | head -1')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^SLUG/),
    });
    const gone = sh('{ "$NODE" "$KAIROS" list; echo "code $?" >&2; } | true');
    expect(gone.stderr).toBe('code 0\n');
    expect(sh('{ "$NODE" "$KAIROS" --help; echo "code $?" >&2; } | true').stderr).toBe('code 0\n');
  });

  it.runIf(SPAWNS && process.platform === 'linux')("reports when its output doesn't fit", () => {
    const { status, stderr } = sh('"$NODE" "$KAIROS" list > /dev/full');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^error: standard output cannot be written: /),
    });
  });

  it('reads standard input for one file only', async () => {
    for (const args of [
      ['mint', '-', 'p0.md', '-'],
      ['verify', '-', '-'],
    ]) {
      expect(await kairos(home, args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('standard input (-) can stand for one file only'),
      });
    }
  });

  it.runIf(SPAWNS)('does not wait for a standard input that it does not need', async () => {
    const child = spawn(process.execPath, [KAIROS_BIN, 'list'], {
      env: home.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  });
});

describe('processes on one store', () => {
  it('can mint, begin and seal at the same time', async () => {
    const shared = makeHome();
    try {
      for (const name of ['x', 'y'])
        writeFileSync(join(shared.work, `${name}.md`), protocolOf(['comment'], `Walk ${name}`));
      const minted = await Promise.all(
        ['x', 'y', 'x'].map((name) => kairosJson(shared, ['mint', `${name}.md`, '--force'])),
      );
      expect(minted.map(({ code }) => code)).toEqual([0, 0, 0]);
      const begun = await Promise.all([1, 2, 3, 4].map(() => kairosJson(shared, ['begin', 'walk-x'])));
      expect(begun.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      const runs = begun.map(({ objects }) => objects[0]?.run_id as string);
      const uri = firstObject<{ items: { uri: string }[] }>(minted[0]!).items[0]!.uri;
      const ended = await Promise.all(
        runs.map((run) => kairosJson(shared, ['attest', uri, 'failure', 'Stopped there.', '--run', run])),
      );
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      expect(await kairos(shared, ['verify', ...runs])).toMatchObject({ code: 0 });
      const keys = await kairosJson(shared, ['verify', ...runs]);
      expect(new Set(keys.objects.map(({ sealed_by }) => sealed_by)).size).toBe(1);
    } finally {
      shared.remove();
    }
  });

  it('seals a run once, in any order', async () => {
    const shown = firstObject<RunFields>(await kairosJson(home, ['begin', 'number-a']));
    const uri = shown.current_step!.uri;
    const ends = await Promise.all(
      [1, 2].map(() => kairosJson(home, ['attest', uri, 'failure', 'Enough.', '--run', shown.run_id!])),
    );
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(ends.find(({ code }) => code === 1)?.objects).toMatchObject([{ error_code: 'RUN_CLOSED' }]);
  });
});

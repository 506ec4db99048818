import { execFile, execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, KAIROS_BIN, kairos, makeHome, SPAWNS } from '../support/cli.ts';

const LOOSE =
  '# Restart\n\n## Do it\n\nNow.\n\n```json\n{"proof_of_work":  {"type": "comment", "comment": {"min_length": 40}}}\n```\n';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const at = (name: string) => join(home.work, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const get = (name: string) => readFileSync(at(name), 'utf8');

/** Through bash, which has pipes to hand over. */
function inBash(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...home.env, NODE: process.execPath, KAIROS: KAIROS_BIN };
    execFile('bash', ['-c', script], { cwd: home.work, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  beforeEach(() => {
    mkdirSync(at('d'));
    put('d/a.md', LOOSE);
    execFileSync('mkfifo', [at('d/pipe.md')]);
  });

  it.each([['lint'], ['fmt', '--check'], ['migrate']])('that is named is refused: %s', async (...command) => {
    const { code, stdout, stderr } = await kairos(home, [...command, 'd/pipe.md', 'd/a.md']);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(
      'd/pipe.md is a named pipe and no file; hand its text in as standard input (-)',
    );
    expect(stderr).toMatch(/^1 protocol (checked|looked at)/m);
  });

  it.each(['d', 'd/*.md'])('is skipped in a folder: %s', async (path) => {
    symlinkSync('pipe.md', at('d/link.md'));
    const { code, stderr } = await kairos(home, ['lint', path]);
    expect(code).toBe(0);
    expect(stderr).toContain('Skipped d/link.md: it is a named pipe.\n');
    expect(stderr).toMatch(/^1 protocol checked\.$/m);
  });

  it.each([
    [['--config', 'd/pipe.md'], 'd/pipe.md cannot be read: it is a named pipe and no file'],
    [['--baseline', 'd/pipe.md'], 'the baseline d/pipe.md cannot be read: it is a named pipe and no file'],
  ])('is not %j', async (args, said) => {
    expect(await kairos(home, ['lint', 'd/a.md', ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(said),
    });
  });

  it('ignores nothing', async () => {
    execFileSync('mkfifo', [at('d/.gitignore')]);
    expect(await kairos(home, ['lint', 'd'])).toMatchObject({
      code: 0,
      stderr: 'Skipped d/pipe.md: it is a named pipe.\n1 protocol checked.\n',
    });
  });
});

describe.runIf(SPAWNS && process.platform !== 'win32')('a pipe that was handed over open', () => {
  beforeEach(() => put('a.md', LOOSE));

  it.each(['cat a.md | "$NODE" "$KAIROS" lint /dev/stdin', '"$NODE" "$KAIROS" lint <(cat a.md)'])(
    'is read to its end: %s',
    async (script) => {
      expect(await inBash(script)).toMatchObject({ code: 0, stderr: '1 protocol checked.\n' });
    },
  );

  it('may hold the configuration', async () => {
    const { code, stdout } = await inBash(
      '"$NODE" "$KAIROS" lint a.md --fail-on info --config <(echo "{\\"lint\\":{\\"rules\\":{\\"triggers-missing\\":\\"error\\"}}}")',
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/error +.*triggers-missing/) });
  });

  it("can't be written, and is reported as not written", async () => {
    expect(await inBash('"$NODE" "$KAIROS" fmt <(cat a.md)')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('it is not a file; with - the new text goes to standard output'),
    });
  });
});

describe.skipIf(process.platform === 'win32')('a report into something that is not a file', () => {
  beforeEach(() => put('a.md', LOOSE));
  const REPORT = /^earlier\n\{"version":1,.*\}\n$/;

  it('goes through a named pipe, which stays one', async () => {
    execFileSync('mkfifo', [at('out')]);
    const read = inBash('echo earlier; cat out');
    expect(await kairos(home, ['lint', 'a.md', '--format', 'json:out'])).toMatchObject({ code: 0 });
    expect((await read).stdout).toMatch(REPORT);
    expect(statSync(at('out')).isFIFO()).toBe(true);
  });

  it
    .runIf(SPAWNS)
    .each([
      '"$NODE" "$KAIROS" lint a.md --format json:/dev/fd/1 | cat',
      '"$NODE" "$KAIROS" lint a.md --format json:/dev/fd/7 7> >(cat) | cat',
      '"$NODE" "$KAIROS" lint a.md --format json:/dev/fd/1 >> log; cat log; rm log',
    ])('goes to a descriptor: %s', async (script) => {
    expect((await inBash(`echo earlier | tee log; ${script}`)).stdout.replace(/^(earlier\n)+/, '$1')).toMatch(
      REPORT,
    );
    expect(readdirSync(home.work)).toContain('a.md');
  });
});

describe('a file with several names', () => {
  it('stays one file, is written once, and leaves no other file behind', async () => {
    put('a.md', LOOSE);
    linkSync(at('a.md'), at('b.md'));
    linkSync(at('a.md'), at('c.txt'));
    const { ino } = statSync(at('c.txt'));
    expect(await kairos(home, ['fmt'])).toMatchObject({ code: 0 });
    expect(get('a.md')).not.toBe(LOOSE);
    for (const name of ['a.md', 'b.md', 'c.txt']) {
      expect([get(name), statSync(at(name)).ino]).toEqual([get('a.md'), ino]);
    }
    expect(readdirSync(home.work).sort()).toEqual(['a.md', 'b.md', 'c.txt']);
  });

  it('is cut where the new text is shorter', async () => {
    put('a.md', LOOSE.replace('"comment",', '"comment",'.padEnd(500)));
    linkSync(at('a.md'), at('b.txt'));
    expect(await kairos(home, ['fmt', 'a.md'])).toMatchObject({ code: 0 });
    expect(get('b.txt')).toMatch(/\n```\n$/);
    expect(get('b.txt').length).toBeLessThan(250);
  });
});

describe.skipIf(process.platform === 'win32')('a backslash in a name', () => {
  beforeEach(() => put('a\\b.md', LOOSE.replace('40', '1')));

  it.each([
    ['compact', 'a\\b.md:8:'],
    ['json', '"path":"a\\\\b.md"'],
    ['github', 'file=a\\b.md,'],
    ['gitlab', '"path": "a\\\\b.md"'],
    ['junit', 'classname="a\\b.md"'],
    ['checkstyle', '<file name="a\\b.md">'],
    ['sarif', '"uri": "a%5Cb.md"'],
  ])('stays one: %s', async (format, shown) => {
    const { code, stdout } = await kairos(home, ['lint', '--format', format]);
    expect(code).toBe(0);
    expect(stdout).toContain(shown);
    expect(stdout).not.toContain('a/b.md');
  });

  it('is an ordinary character for patterns that leave out', async () => {
    put('.kairosignore', 'a/b.md\n');
    expect(await kairos(home, ['lint'])).toMatchObject({ code: 0, stderr: '1 protocol checked.\n' });
    put('.kairosignore', 'a\\\\b.md\n');
    expect(await kairos(home, ['lint', 'a\\b.md'])).toMatchObject({
      stderr: 'No protocol checked, 1 ignored.\n',
    });
  });

  it('is one in a diff, which git applies', async () => {
    const { stdout } = await kairos(home, ['fmt', '--diff']);
    expect(stdout).toMatch(/^--- "a\/a\\\\b\.md"\n\+\+\+ "b\/a\\\\b\.md"\n/);
    execFileSync('git', ['apply', '-'], { cwd: home.work, input: stdout });
    expect(await kairos(home, ['fmt', '--check'])).toMatchObject({ code: 0 });
  });
});

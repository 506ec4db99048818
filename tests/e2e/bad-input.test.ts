import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CliHome,
  type CliResult,
  kairos,
  kairosJson,
  makeHome,
  SPAWNS,
  startKairos,
} from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

/** Documents and records that cannot be used: a place, a reason, a remedy, an exit code, and nothing done. */
let home: CliHome;
beforeAll(() => {
  home = makeHome();
  for (const [name, { bytes }] of Object.entries(DOCUMENTS)) writeFileSync(join(home.work, name), bytes);
  mkdirSync(join(home.work, 'folder.md'));
  symlinkSync('circle.md', join(home.work, 'circle.md'));
  writeFileSync(join(home.work, 'good.md'), protocolOf(['comment'], 'A good one'));
});
afterAll(() => home.remove());

const step = (...body: (string | number[])[]) =>
  Buffer.concat(['# Bad\n\n## One\n\nDo it.\n\n', ...body, '\n'].map((part) => Buffer.from(part as string)));
const block = (language: string, value: string) => step(`\`\`\`${language}\n${value}\n\`\`\``);
const deep = (open: string, close: string) => open.repeat(1000) + close.repeat(1000);
/** Each line refers nine times to the one before: 9^12 values when it is followed. */
const bomb = ['a: &a [lol]']
  .concat(
    [...'bcdefghijkl'].map(
      (name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijk'[at]}`).join(', ')}]`,
    ),
  )
  .join('\n');
const MIB = 1024 * 1024;

/** What is in a file, the exit code that it deserves, and what is said of it. */
const DOCUMENTS: Record<string, { bytes: Buffer; code: 1 | 2; said: RegExp }> = {
  'large.md': {
    bytes: Buffer.concat([step(''), Buffer.alloc(MIB + 1 - step('').length, 'x')]),
    code: 2,
    said: /large\.md has more than 1 MiB/,
  },
  'quotes.md': { bytes: step(`${'> '.repeat(1000)}deep`), code: 1, said: /7:1 .*nested more than 64 deep/ },
  'lists.md': { bytes: step(`${'- '.repeat(1000)}deep`), code: 1, said: /7:1 .*nested more than 64 deep/ },
  'json-brackets.md': {
    bytes: block('json', `{"proof_of_work": ${deep('[', ']')}}`),
    code: 1,
    said: /8:\d+ .*nested more than 64 deep/,
  },
  'yaml-brackets.md': {
    bytes: block('yaml', `proof_of_work: ${deep('[', ']')}`),
    code: 1,
    said: /8:\d+ .*nested more than 64 deep/,
  },
  'bomb.md': {
    bytes: Buffer.concat([Buffer.from(`---\n${bomb}\n---\n`), step('')]),
    code: 1,
    said: /2:\d+ .*anchor/,
  },
  'bomb-block.md': { bytes: block('yaml', `${bomb}\nproof_of_work: *l`), code: 1, said: /8:\d+ .*anchor/ },
  'surrogate.md': { bytes: step('a ', [0xed, 0xa0, 0x80]), code: 2, said: /not valid UTF-8 \(line 7/ },
  'surrogate-escape.md': {
    bytes: block('json', '{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "\\ud800"}}}'),
    code: 1,
    said: /8:\d+ .*half of a surrogate pair/,
  },
  'nul.md': { bytes: step('a\0b'), code: 2, said: /contains a NUL.*line 7, column 2/ },
  'latin.md': { bytes: step('caf', [0xe9]), code: 2, said: /not valid UTF-8 \(line 7, column 4\)/ },
  'overlong.md': { bytes: step([0xc0, 0xaf]), code: 2, said: /not valid UTF-8 \(line 7/ },
  'empty.md': { bytes: Buffer.alloc(0), code: 1, said: /1:1 .*no top-level heading/ },
};
const PATHS: Record<string, { code: 1 | 2; said: RegExp }> = {
  ...DOCUMENTS,
  'folder.md': { code: 2, said: /folder\.md (?:is a directory|contains no markdown file)/ },
  'missing.md': { code: 2, said: /missing\.md does not exist/ },
  'circle.md': { code: 2, said: /circle\.md is a circle of links/ },
  'good.md/deeper.md': { code: 2, said: /deeper\.md does not exist/ },
};

/** Reason and remedy, and no stack. */
function expectTold({ code, signal, stderr }: CliResult, expected: { code: number; said: RegExp }): void {
  expect({ code, signal, stderr }).toEqual({
    code: expected.code,
    signal: null,
    stderr: expect.stringMatching(expected.said),
  });
  expect(stderr).toMatch(/^hint: \S/m);
  expect(stderr).not.toMatch(/^\s+at /m);
}

describe('a document that cannot be read', () => {
  it.each(Object.entries(PATHS))('%s: run and show report why', async (name, expected) => {
    const [run, show] = await Promise.all([
      kairos(home, ['run', `./${name}`, '--no-input']),
      kairos(home, ['show', `./${name}`]),
    ]);
    // 1 would mean that a proof failed.
    expectTold(run, { ...expected, code: 2 });
    expectTold(show, expected);
    expect(run.stdout + show.stdout).toBe('');
  });

  it('mint names each of them, and stores what is good', async () => {
    const names = Object.keys(PATHS);
    const minted = await kairos(home, ['mint', ...names, 'good.md'], { timeoutMs: 60_000 });
    expectTold(minted, { code: 2, said: /./ });
    for (const { said } of Object.values(PATHS)) expect(minted.stderr).toMatch(said);
    expect(minted.stderr.match(/^error: /gm)).toHaveLength(names.length);
    expect(minted.stdout).toMatch(/^stored {2}good\.md {2}kairos:/m);
    expect(minted.stdout.match(/^stored/gm)).toHaveLength(1);
    const { objects } = await kairosJson(home, ['list']);
    expect(objects[0]?.chains).toMatchObject([{ slug: 'a-good-one' }]);
    expect((await kairosJson(home, ['runs'])).objects).toEqual([{ runs: [], total: 0 }]);
  });

  it('is an object for programs', async () => {
    const { code, objects, stderr } = await kairosJson(home, ['run', './nul.md']);
    expect({ code, objects }).toEqual({ code: 2, objects: [] });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'FILE_UNREADABLE',
        message: './nul.md contains a NUL character, so it is not a text file (line 7, column 2)',
        hint: expect.any(String),
        url: null,
      },
    });
  });

  it('is not mistaken for a document just within the limits', async () => {
    const exact = Buffer.concat([step(''), Buffer.alloc(MIB - step('').length, 'x ')]);
    writeFileSync(join(home.work, 'exact.md'), exact);
    writeFileSync(join(home.work, 'text-brackets.md'), step(deep('[', ']'), ' ', deep('(', ')')));
    expect(await kairos(home, ['run', './exact.md', '--no-input'])).toMatchObject({ code: 3 });
    expect(await kairos(home, ['show', './text-brackets.md'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('an answers file that cannot be read', () => {
  it.each([
    ['large.md', /answers.*larger than 1 MiB|larger than 1 MiB/],
    ['latin.md', /not UTF-8/],
    ['folder.md', /folder\.md/],
    ['missing.yaml', /missing\.yaml/],
    ['bomb.yaml', /alias|anchor/],
  ])('%s: nothing is begun', async (name, said) => {
    writeFileSync(join(home.work, 'bomb.yaml'), `${bomb}\nanswers: *l\n`);
    expectTold(await kairos(home, ['run', './good.md', '--answers', name]), { code: 2, said });
    expect((await kairosJson(home, ['runs'])).objects).toEqual([{ runs: [], total: 0 }]);
  });
});

/** Resolves when the script has ended, however it did. */
const sh = (script: string) =>
  new Promise<void>((resolve) => {
    execFile('/bin/sh', ['-c', script], { cwd: home.work }, () => resolve());
  });

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  it('is read like a file, limits and all', async () => {
    const pipe = join(home.work, 'pipe.md');
    execFileSync('mkfifo', [pipe]);
    const fed = kairos(home, ['show', './pipe.md']);
    // Side by side: the writer waits for its reader, which may be in this process.
    await sh('cat good.md > pipe.md');
    expect(await fed).toMatchObject({ code: 0, stdout: expect.stringContaining('A good one') });

    const flooded = kairos(home, ['mint', './pipe.md']);
    await sh('yes > pipe.md');
    expectTold(await flooded, { code: 2, said: /pipe\.md has more than 1 MiB/ });
  });

  it.runIf(SPAWNS)('can be cancelled while no process writes to it', async () => {
    const pipe = join(home.work, 'silent.md');
    execFileSync('mkfifo', [pipe]);
    const waiting = startKairos(home, ['run', './silent.md']);
    const ended = new Promise((resolve) => waiting.on('exit', (code, signal) => resolve(signal ?? code)));
    await delay(500);
    waiting.kill('SIGINT');
    expect(['SIGINT', 130]).toContain(await ended);
  });
});

describe('a record that cannot be read', () => {
  it.each([
    ['missing.jsonl', 2, /missing\.jsonl does not exist/],
    ['folder.md', 2, /folder\.md is a directory/],
    ['00000000-0000-4000-8000-000000000000', 1, /no run|there is no run/i],
  ])('%s is reported as invalid', async (name, code, said) => {
    expectTold(await kairos(home, ['verify', name]), { code, said });
  });

  it.each([
    ['empty.jsonl', ''],
    ['words.jsonl', 'these are no entries\n'],
    ['nul.jsonl', '{"a": "\0"}\n'],
    ['deep.jsonl', `${deep('[', ']')}\n${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}\n`],
    ['binary.jsonl', Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xed, 0xa0, 0x80])],
  ])('%s is broken, never whole', async (name, content) => {
    writeFileSync(join(home.work, name), content);
    const { code, objects, stderr } = await kairosJson(home, ['verify', name]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(objects).toMatchObject([
      {
        status: expect.stringMatching(/^(?:broken|unsealed)$/),
        findings: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]),
      },
    ]);
  });

  it('changes nothing', () => {
    expect(readFileSync(join(home.work, 'words.jsonl'), 'utf8')).toBe('these are no entries\n');
    expect(existsSync(join(home.work, 'missing.jsonl'))).toBe(false);
  });
});

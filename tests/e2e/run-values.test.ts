import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { overStdio, structured } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, everything, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const CLOSING = 'The step was carried out and looked right.';
/** Of a known shape, so that every record and screen has a redaction in its place. */
const TOKEN = `ghp_${'aB3'.repeat(12)}`;
const kept = () => readFileSync(join(home.work, 'kept.txt'), 'utf8');

function command(cmd: string, captures: object[] = [], more: object = {}) {
  const proof_of_work = { type: 'shell', shell: { cmd, timeout_seconds: 20, ...more } };
  return captures.length === 0 ? { proof_of_work } : { proof_of_work, captures };
}
const KEEP = command('printf %s "$VALUE" > kept.txt; echo "got $VALUE"');

function documentOf(inputs: object, ...blocks: object[]): string {
  const steps = blocks.map((block, at) => stepOf(`Step ${at + 1}`, 'Do it.', block));
  const front = Object.keys(inputs).length === 0 ? '' : `---\ninputs: ${JSON.stringify(inputs)}\n---\n`;
  return `${front}# Keep a value\n\nFor the tests.\n\n${steps.join('\n')}`;
}

async function run(document: string, args: string[] = [], env: Record<string, string> = {}, answers = {}) {
  const { path, digest } = await protocolFile(home, document);
  const file = answersFile(home, { ...answers, closing: CLOSING });
  const flags = ['--yes', '--answers', file, '--trust', digest];
  const result = await kairos(home, ['run', path, ...flags, ...args], { env });
  const runId = /Run ([0-9a-f-]{36})/.exec(result.stdout)?.[1] ?? null;
  const entries = runId === null ? [] : (await exportedLedger(home, runId)).entries;
  return { ...result, shown: result.stdout + result.stderr, runId, entries, flags };
}

describe('a value that looks like a secret', () => {
  it.each([
    ['a token', TOKEN, {}],
    ['the password of an address', 'postgres://u:hunter2pw@h/db', {}],
    ['the value of a secret variable', 'lb1.example', { DEPLOY_TOKEN: 'lb1.example' }],
    ['a text with a redaction in it', 'see [redacted:github-token]', {}],
  ])('reaches the command unchanged and no record, as an input: %s', async (_what, value, env) => {
    const done = await run(documentOf({ VALUE: {} }, KEEP), ['--input', `VALUE=${value}`], env);
    expect(done).toMatchObject({ code: 0 });
    expect(kept()).toBe(value);
    expect(done.shown).not.toContain(value);
    expect(done.shown).toContain('The value of VALUE looks like a secret');
    expect(done.entries[0]?.data).toMatchObject({ inputs: {}, secret_inputs: ['VALUE'] });
    expect(everything(home.data)).not.toContain(value);
  });

  it('is asked for again when the run is resumed, and has to be the same one', async () => {
    const ask = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?', choices: ['yes'] } } };
    const { path, digest } = await protocolFile(
      home,
      documentOf({ VALUE: { default: 'lb0.example' } }, ask, KEEP),
    );
    const trust = ['--yes', '--trust', digest];
    const given = ['--input', 'VALUE=lb1.example'];
    const begun = await kairos(home, ['run', path, ...trust, ...given], {
      stdin: '',
      env: { DEPLOY_TOKEN: 'lb1.example' },
    });
    expect(begun.code).toBe(3);
    // This process has another environment, and the default is not what the run began with.
    const resume = [
      'resume',
      ...trust,
      '--answers',
      answersFile(home, { '1.answer': 'yes', closing: CLOSING }),
    ];
    expect(await kairos(home, [...resume, '--no-input'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('input.VALUE'),
    });
    expect(await kairos(home, [...resume, '--input', 'VALUE=lb2.example'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('VALUE is not the value that this run has'),
    });
    const done = await kairos(home, [...resume, ...given]);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('got [redacted:VALUE]') });
    expect(kept()).toBe('lb1.example');
  });

  it('is refused before the first step where it is part of a call', async () => {
    const mcp = { type: 'mcp', mcp: { tool_name: 'drain', arguments: { host: '{{VALUE}}' } } };
    const done = await run(
      documentOf({ VALUE: {} }, { proof_of_work: mcp }),
      ['--input', `VALUE=${TOKEN}`],
      {},
      { '1.result': 'done' },
    );
    expect(done).toMatchObject({ code: 2, runId: null });
    expect(done.stderr).toContain('step 1 has {{VALUE}} in what it calls or checks');
  });

  it('reaches the command when it is captured from an answer or an output', async () => {
    const user_input = { prompt: 'Which?', pattern: 'ghp_[A-Za-z0-9]{36}' };
    const ask = {
      proof_of_work: { type: 'user_input', user_input },
      captures: [{ name: 'VALUE', from: 'answer' }],
    };
    const asked = await run(documentOf({}, ask, KEEP), [], {}, { '1.answer': TOKEN });
    expect(asked).toMatchObject({ code: 0 });
    expect(kept()).toBe(TOKEN);
    expect(asked.shown).not.toContain(TOKEN);

    for (const secret of [true, false]) {
      writeFileSync(join(home.work, 'kept.txt'), '');
      const print = command(`printf ghp_; printf aB3%.0s 1 2 3 4 5 6 7 8 9 10 11 12`, [
        { name: 'VALUE', from: 'stdout', secret },
      ]);
      const done = await run(documentOf({}, print, KEEP));
      expect(done).toMatchObject({ code: 0 });
      expect(kept()).toBe(TOKEN);
      expect(done.shown).not.toContain(TOKEN);
      const proof = done.entries.find(({ kind }) => kind === 'proof.accepted');
      expect(proof?.data).toMatchObject({
        secret_captures: ['VALUE'],
        secret_digests: { VALUE: expect.any(String) },
      });
    }
    expect(everything(home.data)).not.toContain(TOKEN);
  });

  it('reaches the command of serve --execute', async () => {
    const print = command(`printf ghp_; printf aB3%.0s 1 2 3 4 5 6 7 8 9 10 11 12`, [
      { name: 'VALUE', from: 'stdout' },
    ]);
    const document = documentOf({ GIVEN: {} }, print, command('printf %s "$GIVEN$VALUE" > kept.txt'));
    const { path, digest } = await protocolFile(home, document);
    expect(await kairos(home, ['mint', path], { prepares: true })).toMatchObject({ code: 0 });
    expect(
      await kairos(home, ['trust', 'keep-a-value', '--digest', digest], { prepares: true }),
    ).toMatchObject({ code: 0 });
    const client = await overStdio('sdk-2', home, ['--execute']);
    const begun = structured<RunFields>(
      await client.call('kairos_begin', { key: 'keep-a-value', inputs: { GIVEN: 'https://u:hunter2pw@h/' } }),
    );
    expect(begun.message).toContain('The value of GIVEN looks like a secret');
    const at = { uri: begun.current_step!.uri, run_id: begun.run_id! };
    const first = structured<RunFields>(await client.call('kairos_next', at));
    const uri = first.current_step!.uri;
    await client.call('kairos_next', { ...at, uri });
    await client.close();
    expect(kept()).toBe(`https://u:hunter2pw@h/${TOKEN}`);
    expect(everything(home.data)).not.toContain('hunter2pw');
  });
});

describe('a capture', () => {
  it.each([
    ['a short secret', 'echo 1234', { secret: true }, 'at least 6 characters'],
    ['a NUL character', String.raw`printf 'a\000b'`, {}, 'a text without NUL'],
    ['more than a variable can have', 'head -c 140000 /dev/zero | tr "\\0" x', {}, 'at most 131000 bytes'],
    ['nothing', 'true', {}, 'contains no value for VALUE'],
    ['an empty group', 'echo id=', { pattern: 'id=(.*)' }, 'contains no value for VALUE'],
    [
      'an output of more than 8 MiB',
      'head -c 9000000 /dev/zero | tr "\\0" x; echo id=7',
      { pattern: 'id=(.*)' },
      'The output is cut, so VALUE cannot be read',
    ],
  ])('fails the step: %s', async (_what, cmd, more, words) => {
    const document = documentOf({}, command(cmd, [{ name: 'VALUE', from: 'stdout', ...more }]), KEEP);
    const done = await run(document);
    expect(done).toMatchObject({ code: 1, shown: expect.stringContaining(words) });
    const rejected = done.entries.find(({ kind }) => kind === 'proof.rejected');
    expect(rejected?.data).toMatchObject({ code: 'CAPTURE_FAILED' });
    expect(JSON.stringify(done.entries) + done.shown).not.toMatch(/1234\\n|^1234$/m);
  });

  it('is read from the whole of a long output', async () => {
    writeFileSync(join(home.work, 'big.txt'), `BEGIN${'a'.repeat(65_000)}${'b'.repeat(100_000)}END`);
    const from = { name: 'VALUE', from: 'stdout' };
    const pattern = command('cat big.txt', [{ ...from, pattern: 'BEGINa*([\\s\\S]*)END' }]);
    expect(await run(documentOf({}, pattern, KEEP))).toMatchObject({ code: 0 });
    expect(kept()).toBe('b'.repeat(100_000));

    writeFileSync(
      join(home.work, 'big.txt'),
      JSON.stringify({ pad: 'x'.repeat(200_000), id: 'a7', more: 1 }),
    );
    const pointer = command('cat big.txt', [{ ...from, json_pointer: '/id' }], {
      stdout_matches: 'x","id":"a7"',
    });
    const done = await run(documentOf({}, pointer, KEEP));
    expect(done).toMatchObject({ code: 0 });
    expect(kept()).toBe('a7');
    const proof = done.entries.find(({ kind }) => kind === 'proof.accepted')!.data.shell as {
      stdout: string;
    };
    expect(proof.stdout).toContain('bytes left out');
  });

  it('of a secret is shown and recorded nowhere, in no form of it, whether the step is proven or not', async () => {
    const value = 'tr"icky pass\\word';
    writeFileSync(join(home.work, 'in.json'), JSON.stringify({ pass: value }));
    const print = (more = '') =>
      command(`cat in.json; cat in.json >&2${more}`, [
        { name: 'VALUE', from: 'stdout', json_pointer: '/pass', secret: true },
      ]);
    const done = await run(documentOf({}, print(), KEEP));
    expect(done).toMatchObject({ code: 0 });
    expect(kept()).toBe(value);
    const failed = await run(documentOf({}, print('; exit 3'), KEEP));
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.shown).toContain('The output is not shown, because a secret is captured from it.');
    const records = JSON.stringify([done.entries, failed.entries]);
    expect(records).toContain('[redacted:VALUE]');
    expect(records).not.toContain('icky');
    expect(done.stdout + failed.stdout).not.toContain('icky');
  });
});

it('a secret of several lines is redacted line by line', async () => {
  const value = 'aaaabbbbcccc\nddddeeeeffff';
  const first = command('printf "%s\\n" "$VALUE" | head -1');
  const done = await run(documentOf({ VALUE: { secret: true } }, first), ['--input', `VALUE=${value}`]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('[redacted:VALUE]') });
  expect(JSON.stringify(done.entries) + done.shown).not.toContain('aaaabbbbcccc');
});

it.each([
  ['NUL', 'a\0b', 'a text without NUL'],
  ['DEL', 'a\x7fb', 'a text without NUL'],
  ['more than a variable can have', 'x'.repeat(140_000), 'at most 131000 bytes'],
])('an input that no command can get is refused before the first step: %s', async (_what, value, words) => {
  writeFileSync(join(home.work, 'in.json'), JSON.stringify({ VALUE: value }));
  const done = await run(documentOf({ VALUE: {} }, KEEP), ['--inputs', 'in.json']);
  expect(done).toMatchObject({ code: 2, runId: null, stderr: expect.stringContaining(words) });
});

it.each([
  ['an input', { VALUE: {} }, [], ['--input', 'VALUE=*'], 2],
  ['a capture', {}, [command('echo "*"', [{ name: 'VALUE', from: 'stdout' }])], [], 1],
])('a value never widens the path of an output: %s', async (_what, inputs, before, args, code) => {
  writeFileSync(join(home.work, 'any.txt'), '');
  const check = { ...command('true'), outputs: [{ path: '{{VALUE}}.txt' }] };
  const done = await run(documentOf(inputs, ...before, check), args);
  expect(done).toMatchObject({ code, shown: expect.stringContaining('VALUE has a wildcard') });
});

it('an input that is given twice is refused, and an empty inputs file gives none', async () => {
  const document = documentOf({ VALUE: { default: 'a' } }, KEEP);
  const twice = await run(document, ['--input', 'VALUE=b', '--input', 'VALUE=c']);
  expect(twice).toMatchObject({ code: 2, runId: null });
  writeFileSync(join(home.work, 'in.yaml'), '# none\n');
  expect(await run(document, ['--inputs', 'in.yaml'])).toMatchObject({ code: 0 });
  expect(kept()).toBe('a');
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { INTERPRETERS } from '../../src/protocol/terms.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const CLOSING = 'The step was carried out and looked right.';
const fence = (info: string, cmd: string) => `\`\`\`${info}\n${cmd}\n\`\`\``;

/** Every file below a folder, as one text. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** What a shell, a terminal or a reader of JSON could take for its own. */
const nasty = fc
  .array(
    fc.constantFrom(
      ...['"', "'", '\\', '`', '$(touch bad)', '${HOME}', '\n', '\r\n', '\t', '; touch bad', '{{TEXT}}', ' '],
      ...[
        '\u202e',
        '\u2066',
        '\u200b',
        '\u001b[31m',
        '\u0007',
        '\u{e0041}',
        'ä',
        '日本',
        '🦆',
        '%s',
        '-n',
        '*',
        '&',
      ],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));
/** Effects on a terminal: control characters but tab and line feed, and characters that reorder or hide text. */
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

describe('the value of an input', () => {
  const document = `---\ninputs:\n  TEXT: { description: Any text }\n---\n# Keep a text\n\n## Keep\n\nKeep {{TEXT}}.\n\n${fence('sh proof timeout=20s', 'printf %s "$TEXT" > kept.txt && printf %s "$TEXT"')}\n`;

  it('reaches the command to the byte and the terminal escaped', async () => {
    const { path, digest: trust } = await protocolFile(home, document);
    const answers = answersFile(home, { closing: CLOSING });
    const long = `"'$(touch bad)\`\u202e\n${'x'.repeat(64 * 1024)}`;
    await fc.assert(
      fc.asyncProperty(nasty, async (value) => {
        writeFileSync(join(home.work, 'in.json'), JSON.stringify({ TEXT: value }));
        const given = ['--yes', '--answers', answers, '--trust', trust, '--inputs', 'in.json'];
        const done = await kairos(home, ['run', path, ...given]);
        expect(done).toMatchObject({ code: 0 });
        expect(readFileSync(join(home.work, 'kept.txt'), 'utf8')).toBe(value);
        expect(readdirSync(home.work)).not.toContain('bad');
        expect(done.stdout + done.stderr).not.toMatch(RAW);
        const runId = /Run ([0-9a-f-]{36})/.exec(done.stdout)![1]!;
        const { entries } = await exportedLedger(home, runId);
        expect(entries[0]?.data).toMatchObject({ secret_inputs: [] });
        for (const args of [
          ['runs', 'show', runId],
          ['report', runId, '--format', 'md'],
          ['verify', runId],
        ])
          expect((await kairos(home, args)).stdout, args[0]).not.toMatch(RAW);
      }),
      { numRuns: 6, examples: [[long]] },
    );
  }, 120_000);

  it('that is secret is nowhere on disk and in no output', async () => {
    const text = document
      .replace('description: Any text', 'secret: true')
      .replace('Keep {{TEXT}}.', 'Keep it.');
    const { path, digest: trust } = await protocolFile(
      home,
      text.replace(' > kept.txt && printf %s "$TEXT"', ''),
    );
    const answers = answersFile(home, { closing: CLOSING });
    const secret = fc
      .tuple(fc.stringMatching(/^[A-Za-z0-9"'\\$`{};%]{10,30}$/), fc.constantFrom('', ' ', '"', '\n'))
      .map(([a, b]) => `q7${a}${b}${a}`);
    await fc.assert(
      fc.asyncProperty(secret, async (value) => {
        const given = ['--yes', '--answers', answers, '--trust', trust, '--inputs-from-env'];
        const done = await kairos(home, ['run', path, ...given], { env: { TEXT: value } });
        expect(done).toMatchObject({ code: 0 });
        for (const form of [value, JSON.stringify(value).slice(1, -1)]) {
          expect(done.stdout + done.stderr).not.toContain(form);
          expect(everything(home.data)).not.toContain(form);
        }
      }),
      { numRuns: 6 },
    );
  }, 120_000);
});

describe('every interpreter', () => {
  const flags: Record<string, string> = { node: '-e', perl: '-e', ruby: '-e', pwsh: '-Command' };
  const WRITES: Record<string, string> = {
    python3: "import os; open('out.txt', 'w').write(os.environ['NAME'])",
    node: "require('node:fs').writeFileSync('out.txt', process.env.NAME)",
    perl: 'open(F, ">", "out.txt"); print F $ENV{NAME}',
    ruby: "File.write('out.txt', ENV['NAME'])",
    pwsh: 'Set-Content -NoNewline out.txt $env:NAME',
  };

  it.each(INTERPRETERS)('%s runs a fence of its name, with the inputs', async (interpreter) => {
    const cmd = WRITES[interpreter] ?? 'printf %s "$NAME" > out.txt';
    const isHere = spawnSync(interpreter, [flags[interpreter] ?? '-c', ''], { env: home.env }).status === 0;
    const bin = join(home.work, 'bin');
    mkdirSync(bin);
    if (!isHere) {
      // Stands in for a program that is not installed: notes how it was called.
      const fake = '#!/bin/sh\nprintf "%s\\n" "$@" > called.txt\nprintf %s "$NAME" > out.txt\n';
      writeFileSync(join(bin, interpreter), fake);
      chmodSync(join(bin, interpreter), 0o755);
    }
    const document = `---\ninputs:\n  NAME: { default: duck }\n---\n# Write\n\n## Write\n\nWrite it.\n\n${fence(`${interpreter} proof timeout=20s`, cmd)}\n`;
    const { path, digest: trust } = await protocolFile(home, document);
    const answers = answersFile(home, { closing: CLOSING });
    const env = { PATH: `${bin}:${home.env.PATH}` };
    const given = ['--yes', '--answers', answers, '--trust', trust];
    const done = await kairos(home, ['run', path, ...given], { env });
    expect(done).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('duck');
    if (!isHere) {
      const called = readFileSync(join(home.work, 'called.txt'), 'utf8');
      expect(called).toBe(`${flags[interpreter] ?? '-c'}\n${cmd}\n`);
    }
    const runId = /Run ([0-9a-f-]{36})/.exec(done.stdout)![1]!;
    const started = (await exportedLedger(home, runId)).entries.find(
      ({ kind }) => kind === 'command.started',
    );
    expect(started?.data.interpreter).toBe(interpreter === 'sh' ? undefined : interpreter);
    if (interpreter !== 'sh')
      expect((await kairos(home, ['run', path, '--dry-run'])).stdout).toMatch(
        new RegExp(`interpreter +${interpreter}`),
      );
  });

  it('that is not installed is named by the failed step', async () => {
    const document = `# Write\n\n## Write\n\nWrite it.\n\n${fence('pwsh proof timeout=20s', 'exit 0')}\n`;
    const { path, digest: trust } = await protocolFile(home, document);
    const answers = answersFile(home, { closing: CLOSING });
    const given = ['--yes', '--answers', answers, '--trust', trust];
    const done = await kairos(home, ['run', path, ...given], { env: { PATH: join(home.work, 'none') } });
    expect(done.code).toBe(1);
    expect(done.stdout + done.stderr).toContain('pwsh');
  });
});

describe('what a version without inputs wrote', () => {
  const RUN = join(import.meta.dirname, '../fixtures/before-inputs.jsonl');
  const DIGEST = 'fc16e73a8c0c66ac637ee9e9518ed88f9d84c3c41280e43367af02cc0debe85a';
  const SHELL =
    '{"type": "shell", "shell": {"cmd": "echo tested", "timeout_seconds": 600}, "required": true}';

  it.each([
    ['as it was written', fence('json', `{"proof_of_work": ${SHELL}}`)],
    ['with an older key', fence('json', `{"challenge": ${SHELL}}`)],
    ['in shorthand', fence('sh proof timeout=10m', 'echo tested')],
  ])('has the same digest, %s', async (_, first) => {
    const ask =
      '{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is it good?", "choices": ["it is good"]}}}';
    const source = `# Test it\n\nFor everybody.\n\n## Run the tests\n\nOn a clean tree.\n\n${first}\n\n## Ask\n\nAsk them.\n\n${fence('json', ask)}\n`;
    const { document } = await parseProtocol(source);
    expect(digest(toContent(document.chains[0]!))).toBe(DIGEST);
  });

  it('is read and verified', async () => {
    expect(await kairos(home, ['verify', RUN])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('11 entries'),
    });
    const shown = await kairosJson(home, ['runs', 'show', RUN]);
    expect(shown).toMatchObject({ code: 0 });
    expect(JSON.stringify(shown.objects)).toContain(DIGEST);
    expect((await kairos(home, ['report', RUN, '--format', 'md'])).stdout).toContain('Test it');
  });
});

it('asks again for a secret capture when a run is resumed', async () => {
  const block = `proof_of_work:\n  type: shell\n  shell: { cmd: "printf correct; printf -- -horse-battery", timeout_seconds: 20 }\ncaptures:\n  - { name: TOKEN_A, from: stdout, secret: true }`;
  const ask = 'proof_of_work:\n  type: user_input\n  user_input: { prompt: Go on?, choices: [yes please] }';
  const document = `# Use a token\n\n## Get\n\nGet it.\n\n${fence('yaml', block)}\n\n## Ask\n\nAsk.\n\n${fence('yaml', ask)}\n\n## Use\n\nUse it.\n\n${fence('sh proof timeout=20s', 'printf %s "$TOKEN_A" > used.txt')}\n`;
  const { path, digest: trust } = await protocolFile(home, document);
  const first = await kairosJson(home, ['run', path, '--yes', '--trust', trust], { stdin: '' });
  expect(first.code).toBe(3);
  expect(everything(home.data)).not.toContain('correct-horse');
  const answers = answersFile(home, { '2.answer': 'yes please', closing: CLOSING });
  const missing = await kairosJson(home, ['resume', '--answers', answers, '--trust', trust]);
  expect(missing.code).toBe(3);
  expect(JSON.stringify(missing.objects)).toContain('input.TOKEN_A');
  const given = [
    'resume',
    '--answers',
    answers,
    '--trust',
    trust,
    '--input',
    'TOKEN_A=correct-horse-battery',
  ];
  expect(await kairos(home, given)).toMatchObject({ code: 0 });
  expect(readFileSync(join(home.work, 'used.txt'), 'utf8')).toBe('correct-horse-battery');
  expect(everything(home.data)).not.toContain('correct-horse');
});

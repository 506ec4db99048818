import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, everything, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const CLOSING = 'The step was carried out and looked right.';
const shell = (cmd: string, more: object = {}) => ({
  proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20, ...more } },
});

/** A protocol with inputs in its frontmatter (JSON is YAML) and these steps. */
function withInputs(inputs: object, ...steps: string[]): string {
  return `---\ninputs: ${JSON.stringify(inputs)}\n---\n# Drain a host\n\nFor the tests.\n\n${steps.join('\n')}`;
}

async function run(document: string, args: string[], answers: Record<string, unknown> = {}) {
  const { path, digest } = await protocolFile(home, document);
  const file = answersFile(home, { ...answers, closing: CLOSING });
  const result = await kairos(home, ['run', path, '--yes', '--answers', file, '--trust', digest, ...args]);
  const runId = /Run ([0-9a-f-]{36})/.exec(result.stdout)?.[1];
  return {
    ...result,
    runId,
    entries: runId === undefined ? [] : (await exportedLedger(home, runId)).entries,
  };
}

const HOST = { description: 'Load balancer to drain', pattern: '[a-z0-9.-]+', default: 'lb1' };

describe('inputs', () => {
  it('reach commands as variables, texts as written, and the record', async () => {
    const ask = {
      proof_of_work: {
        type: 'user_input',
        user_input: { prompt: 'Is {{TARGET_HOST}} drained?', choices: ['yes'] },
      },
    };
    const document = withInputs(
      { TARGET_HOST: HOST, COUNT: { type: 'number' } },
      stepOf('Drain', 'Drain {{TARGET_HOST}}.', shell('echo "$TARGET_HOST/$COUNT" > out.txt')),
      stepOf('Ask', 'Look at it.', ask),
    );
    const done = await run(document, ['--input', 'TARGET_HOST=lb2', '--input', 'COUNT=3'], {
      '2.answer': 'yes',
    });
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('Drain lb2.');
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('lb2/3\n');
    expect(done.entries[0]?.data).toMatchObject({
      inputs: { TARGET_HOST: 'lb2', COUNT: '3' },
      secret_inputs: [],
    });

    writeFileSync(join(home.work, 'inputs.yaml'), 'COUNT: 4\n');
    expect((await run(document, ['--inputs', 'inputs.yaml'], { '2.answer': 'yes' })).code).toBe(0);
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('lb1/4\n');
  });

  it('are refused before the first step when they do not fit, and asked for when they are missing', async () => {
    const document = withInputs(
      { TARGET_HOST: HOST, COUNT: { type: 'number' } },
      stepOf('Go', 'Go.', shell('touch ran')),
    );
    const wrong = await run(document, [
      '--input',
      'COUNT=many',
      '--input',
      'TARGET_HOST=a b',
      '--input',
      'X=1',
    ]);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('COUNT is "many". Expected: a number.'),
    });
    expect(wrong.stderr).toContain('TARGET_HOST is "a b"');
    expect(wrong.stderr).toContain('X is not an input of this protocol');
    const { path, digest } = await protocolFile(home, document);
    const missing = await kairos(home, ['run', path, '--no-input', '--yes', '--trust', digest]);
    expect(missing).toMatchObject({ code: 3, stdout: expect.stringContaining('input.COUNT') });
    expect(missing.stdout).not.toContain('input.TARGET_HOST');
    const piped = await kairos(home, ['run', path, '--yes', '--trust', digest], { stdin: `7\n${CLOSING}\n` });
    expect(piped).toMatchObject({ code: 0 });
    const json = await kairosJson(home, ['run', path, '--no-input', '--yes', '--trust', digest]);
    expect(json).toMatchObject({
      code: 3,
      objects: [
        {
          event: 'questions',
          questions: [{ id: 'input.COUNT', kind: 'text', hint: 'number; required' }, { id: 'closing' }],
        },
      ],
    });
  });

  it('are kept as the inputs file writes them', async () => {
    const document = withInputs(
      { TAG: {}, MODE: { default: 'soft' } },
      stepOf('Go', 'Go.', shell('echo "$TAG $MODE" > out.txt')),
    );
    writeFileSync(join(home.work, 'in.yaml'), 'TAG: 1.10\nMODE: ~\n');
    expect(await run(document, ['--inputs', 'in.yaml'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('1.10 soft\n');
    writeFileSync(join(home.work, 'in.yaml'), 'TAG: [1]\n');
    expect(await run(document, ['--inputs', 'in.yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the value of TAG is not a text'),
    });
    writeFileSync(join(home.work, 'in.yaml'), 'TAG: &a b\nMODE: *a\n');
    expect((await run(document, ['--inputs', 'in.yaml'])).stderr).toContain('an anchor or an alias');
  });

  it('can be in the answers file, under the ids of their questions', async () => {
    const document = withInputs(
      { TARGET_HOST: HOST, COUNT: { type: 'number' } },
      stepOf('Go', 'Go.', shell('echo "$TARGET_HOST/$COUNT" > out.txt')),
    );
    const answers = { 'input.COUNT': '4', 'input.TARGET_HOST': 'lb7' };
    expect(await run(document, [], answers)).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('lb7/4\n');
    expect(await run(document, ['--input', 'TARGET_HOST=lb8'], answers)).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('lb8/4\n');
    expect(await run(document, [], { 'input.COUNT': 'four' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not accepted: input.COUNT: Expected: a number.'),
    });
  });

  it('that are secret are in the environment of commands and nowhere on disk or in output', async () => {
    const secret = 'correct-horse-battery';
    const document = withInputs(
      { DB_WORD: { secret: true } },
      stepOf('Use', 'Use it.', shell('echo "got $DB_WORD"; test -n "$DB_WORD"')),
    );
    const shown = await run(document, ['--input', `DB_WORD=${secret}`]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('got [redacted:DB_WORD]') });
    expect(shown.entries[0]?.data).toMatchObject({ inputs: {}, secret_inputs: ['DB_WORD'] });
    expect(shown.stdout + shown.stderr).not.toContain(secret);
    expect(everything(home.data)).not.toContain(secret);
  });

  it('come to a command to the byte', async () => {
    const value = `'"$(touch bad)\`touch bad\`; \\n\n\u202e; ${'x'.repeat(64 * 1024)}`;
    const document = withInputs(
      { TEXT: {} },
      stepOf('Keep', 'Keep it.', shell('printf %s "$TEXT" > kept.txt')),
    );
    writeFileSync(join(home.work, 'in.json'), JSON.stringify({ TEXT: value }));
    expect((await run(document, ['--inputs', 'in.json'])).code).toBe(0);
    expect(readFileSync(join(home.work, 'kept.txt'), 'utf8')).toBe(value);
    expect(readdirSync(home.work)).not.toContain('bad');
  });
});

describe('inputs of a run that is resumed', () => {
  it('are on record: what is given again has to be equal, and only secrets are asked for', async () => {
    const ask = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on with it?' } } };
    const document = withInputs(
      { TARGET_HOST: HOST, DB_WORD: { secret: true } },
      stepOf('Ask', 'Ask.', ask),
      stepOf('Use', 'Use it.', shell('test -n "$DB_WORD" && echo "$TARGET_HOST" > out.txt')),
    );
    const { path, digest } = await protocolFile(home, document);
    const trust = ['--yes', '--trust', digest];
    const word = ['--input', 'DB_WORD=correct-horse'];
    await kairos(home, ['run', path, ...trust, ...word, '--input', 'TARGET_HOST=lb2'], { stdin: '' });
    const resume = ['resume', ...trust];
    // No terminal, no pipe, no file: every question is reported, and what is given is no mistake.
    const asked = await kairosJson(home, [...resume, '--no-input', ...word, '--input', 'TARGET_HOST=lb2']);
    expect(asked).toMatchObject({
      code: 3,
      objects: [{ questions: [{ id: '1.answer' }, { id: 'closing' }] }],
    });
    const missing = await kairosJson(home, [...resume, '--no-input']);
    expect(missing.objects).toMatchObject([
      { questions: [{ id: 'input.DB_WORD' }, { id: '1.answer' }, { id: 'closing' }] },
    ]);
    expect(await kairos(home, [...resume, ...word, '--input', 'TARGET_HOST=lb3'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TARGET_HOST is "lb2" in the record of this run, and can\'t change.'),
    });
    expect(await kairos(home, [...resume, ...word, '--input', 'HOST=x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HOST is not an input of this protocol; it has TARGET_HOST, DB_WORD.'),
    });
    const answers = answersFile(home, { '1.answer': 'yes', closing: CLOSING });
    const same = [...word, '--input', 'TARGET_HOST=lb2'];
    expect(await kairos(home, [...resume, ...same, '--answers', answers])).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('lb2\n');
  });
});

describe('inputs on screen', () => {
  const document = withInputs(
    {
      TARGET_HOST: HOST,
      DB_WORD: { description: 'Word of the replica', secret: true },
      MODE: { choices: ['soft', 'hard'] },
    },
    stepOf(
      'Drain',
      'Drain {{TARGET_HOST}}.',
      shell('test -n "$TARGET_HOST$DB_WORD$MODE"', { interpreter: 'bash' }),
    ),
  );
  const given = ['--input', 'MODE=soft', '--input', 'DB_WORD=correct-horse'];

  it('are in show, the plan and the request for trust', async () => {
    const { path } = await protocolFile(home, document);
    const shown = await kairos(home, ['show', path]);
    expect(shown.stdout).toContain('TARGET_HOST  Load balancer to drain; matches [a-z0-9.-]+; default "lb1"');
    expect(shown.stdout).toContain('DB_WORD      Word of the replica; secret; required');
    expect(shown.stdout).toContain('MODE         one of soft, hard; required');
    expect(shown.stdout).toMatch(/interpreter +bash/);
    const [object] = (await kairosJson(home, ['show', path])).objects as [{ chains: [{ inputs: object }] }];
    expect(object.chains[0].inputs).toMatchObject({ TARGET_HOST: HOST, MODE: { choices: ['soft', 'hard'] } });

    const plan = await kairos(home, ['run', path, '--dry-run', ...given]);
    expect(plan.stdout).toMatch(/MODE +one of soft, hard; required\n +is soft\n/);
    expect(plan.stdout).toMatch(/DB_WORD .*\n +is \(secret\)\n/);
    expect(plan.stdout).not.toContain('correct-horse');
    const [planned] = (await kairosJson(home, ['run', path, '--dry-run', ...given])).objects as [
      { inputs: object },
    ];
    expect(planned.inputs).toMatchObject({ TARGET_HOST: { value: 'lb1' }, DB_WORD: { value: '(secret)' } });
    expect(await kairos(home, ['run', path, '--dry-run', '--input', 'MODE=x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('MODE is "x". Expected: one of soft, hard.'),
    });
    const trust = await kairos(home, ['run', path, ...given], { stdin: 'no\n' });
    expect(trust.stdout + trust.stderr).toContain('Inputs that its commands get from you:');
  });

  it('reach a run that begin makes and are shown with it', async () => {
    const { path } = await protocolFile(home, document.replace('---\n', '---\nslug: drain-a-host\n'));
    expect(await kairos(home, ['mint', path], { prepares: true })).toMatchObject({ code: 0 });
    const asked = await kairosJson(home, ['begin', 'drain-a-host']);
    expect(asked).toMatchObject({
      code: 3,
      objects: [{ error_code: 'INPUT_REQUIRED', input_schema: { required: ['DB_WORD', 'MODE'] } }],
    });
    expect((await kairos(home, ['begin', 'drain-a-host'])).stdout).toContain("--input 'MODE=<VALUE>'");
    expect((await kairos(home, ['begin', 'drain-a-host', '--input', 'MODE=x'])).code).toBe(2);
    const begun = await kairosJson(home, ['begin', 'drain-a-host', ...given]);
    expect(begun).toMatchObject({
      code: 0,
      objects: [{ challenge: { environment: { TARGET_HOST: 'lb1', MODE: 'soft' } } }],
    });
    const runId = String(begun.objects[0]!.run_id);
    expect((await kairos(home, ['runs', 'show', runId])).stdout).toMatch(
      /TARGET_HOST +lb1\nDB_WORD +\(secret\)\nMODE +soft/,
    );
    const [shown] = (await kairosJson(home, ['runs', 'show', runId])).objects;
    expect(shown).toMatchObject({ inputs: { TARGET_HOST: 'lb1', MODE: 'soft', DB_WORD: '(secret)' } });
    expect((await kairos(home, ['report', runId, '--format', 'md'])).stdout).toContain(
      '| Input DB\\_WORD | (secret) |',
    );
    await kairos(home, ['runs', 'close', runId, '--reason', 'Looked at it.']);
    const junit = (await kairos(home, ['report', runId, '--format', 'junit'])).stdout;
    expect(junit).toContain('<property name="input.TARGET_HOST" value="lb1"/>');
    expect(junit).toContain('<property name="input.DB_WORD" value="(secret)"/>');
    const statement = await kairosJson(home, ['attestation', runId, '--format', 'statement']);
    expect(statement.objects[0]).toMatchObject({
      predicate: { inputs: { TARGET_HOST: 'lb1', MODE: 'soft' }, secret_inputs: ['DB_WORD'] },
    });
    expect((await exportedLedger(home, runId)).entries[0]?.data).toMatchObject({
      inputs: { TARGET_HOST: 'lb1', MODE: 'soft' },
    });
    expect(everything(home.data)).not.toContain('correct-horse');
    const fromEnv = await kairosJson(home, ['begin', 'drain-a-host', '--inputs-from-env'], {
      env: { TARGET_HOST: 'lb3', MODE: 'hard', DB_WORD: 'correct-horse' },
    });
    expect(fromEnv.objects[0]).toMatchObject({
      challenge: { environment: { TARGET_HOST: 'lb3', MODE: 'hard' } },
    });
  });
});

describe('captures', () => {
  const capture = { captures: [{ name: 'RELEASE', from: 'stdout', pattern: 'v([0-9.]+)' }] };

  it('are recorded with the proof and used by later steps', async () => {
    const document = withInputs(
      {},
      stepOf('Read', 'Read it.', { ...shell('echo release v1.2.3'), ...capture }),
      stepOf('Use', 'Ship {{RELEASE}}.', shell('echo "$RELEASE" > shipped.txt')),
    ).replace('inputs: {}', 'tags: []');
    const done = await run(document, []);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Ship 1.2.3.') });
    expect(readFileSync(join(home.work, 'shipped.txt'), 'utf8')).toBe('1.2.3\n');
    expect(done.entries.find(({ kind }) => kind === 'proof.accepted')?.data).toMatchObject({
      captures: { RELEASE: '1.2.3' },
      assurance: 'observed',
    });
  });

  it('that find nothing fail the step', async () => {
    const document = `# Read\n\nFor the tests.\n\n${stepOf('Read', 'Read it.', { ...shell('echo none'), ...capture })}`;
    const failed = await run(document, []);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('CAPTURE_FAILED') });
    expect(failed.entries.find(({ kind }) => kind === 'proof.rejected')?.data).toMatchObject({
      code: 'CAPTURE_FAILED',
      counted: true,
    });
  });
});

describe('interpreters', () => {
  it.each([
    ['bash', '[[ a == a ]] && echo ok > out.txt'],
    ['node', "require('node:fs').writeFileSync('out.txt', 'ok\\n')"],
    ['perl', 'open(F, ">", "out.txt"); print F "ok\\n"'],
    // Only a shell reads this as a command that destroys: no phrase is asked for.
    ['node', "/*\nrm -rf /\n*/ require('node:fs').writeFileSync('out.txt', 'ok\\n')"],
  ])('%s runs the command', async (interpreter, cmd) => {
    const document = `# Write\n\nFor the tests.\n\n${stepOf('Write', 'Write it.', shell(cmd, { interpreter }))}`;
    const done = await run(document, []);
    expect(done).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'out.txt'), 'utf8')).toBe('ok\n');
    expect(done.entries.find(({ kind }) => kind === 'command.started')?.data).toMatchObject({ interpreter });
  });
});

describe('values in texts before a run', () => {
  const ask = (prompt: string) => ({ proof_of_work: { type: 'user_input', user_input: { prompt } } });
  const document = `---
inputs:
  VERSION: { description: Version to release, default: 1.10 }
  TOKEN: { secret: true }
---
# Release

For the tests.

${stepOf('Ask', 'Ask.', ask('Is {{VERSION}} right?'))}

${stepOf('Build', 'Build.', ask('Was {{VERSION}} built with {{TOKEN}}?'))}
`;

  it('keeps an unquoted default as written, and fills the questions of --no-input and --dry-run', async () => {
    const { path, digest } = await protocolFile(home, document);
    const flags = [path, '--trust', digest, '--input', 'TOKEN=s3cret-value'];
    const asked = await kairos(home, ['run', ...flags, '--no-input']);
    expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining('Is 1.10 right?') });
    expect(asked.stdout).toContain('Was 1.10 built with [redacted:TOKEN]?');
    const dry = await kairos(home, ['run', ...flags, '--dry-run', '--input', 'VERSION=2.0']);
    expect(dry.stdout).toContain('Is 2.0 right?');
    expect(dry.stdout).not.toContain('s3cret');
  });

  it('fills the questions of an open run with what it recorded', async () => {
    const { path, digest } = await protocolFile(home, document);
    const given = ['--input', 'TOKEN=s3cret-value', '--input', 'VERSION=3.10'];
    await kairos(home, ['run', path, '--yes', '--trust', digest, ...given], { stdin: 'yes\n' });
    const resumed = await kairos(home, ['resume', 'latest', '--no-input']);
    expect(resumed).toMatchObject({ code: 3, stdout: expect.stringContaining('Was 3.10 built with') });
  });
});

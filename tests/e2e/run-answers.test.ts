import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf, protocolWith, stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const shell = (cmd: string, more: object = {}) => ({
  proof_of_work: { type: 'shell', shell: { cmd, ...more } },
});
const WALK = `# Check the oven

For the tests.

${stepOf('Look', 'Look at it.', null)}
${stepOf('Heat', 'Heat it.', shell('echo warm > oven.txt && cat oven.txt', { stdout_matches: '^warm' }))}
${stepOf('Ask', 'Ask them.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Is it hot?', choices: ['yes', 'no'] } } })}
${stepOf('Tell', 'Tell about it.', { proof_of_work: { type: 'comment', comment: { min_length: 20 } } })}
`;
const ANSWERS = {
  Ask: 'yes',
  4: 'The oven is warm and nobody burnt their hand.',
  closing: 'It went well from start to end.',
};

describe('kairos run with an answers file', () => {
  it('reaches a sealed run that verifies', async () => {
    const { path, digest } = await protocolFile(home, WALK);
    const run = await kairosJson(home, [
      'run',
      path,
      '--answers',
      answersFile(home, ANSWERS),
      '--trust',
      digest,
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const sealed = run.objects.find(({ event }) => event === 'sealed')!;
    expect(sealed).toMatchObject({
      outcome: 'success',
      verified: 'whole',
      assurance: { observed: 1, attested: 0, client: 0, claimed: 3 },
    });
    expect(readFileSync(join(home.work, 'oven.txt'), 'utf8')).toBe('warm\n');
    expect(await kairos(home, ['verify', String(sealed.run_id)])).toMatchObject({ code: 0 });
    const begun = run.objects.find(({ event }) => event === 'begun')!;
    expect(begun.digest).toBe(digest);
  });

  it('reports what is missing or unknown before the first step', async () => {
    const { path, digest } = await protocolFile(home, WALK);
    const run = await kairos(home, [
      'run',
      path,
      '--answers',
      answersFile(home, { Ask: 'maybe', Nope: 'x' }),
      '--trust',
      digest,
    ]);
    expect(run.code).toBe(2);
    for (const problem of [
      'missing: 4.comment',
      'missing: closing',
      'unknown: Nope',
      'not accepted: 3.answer',
    ]) {
      expect(run.stderr).toContain(problem);
    }
    expect(existsSync(join(home.work, 'oven.txt'))).toBe(false);
    expect((await kairosJson(home, ['runs'])).objects).toEqual([{ runs: [], total: 0 }]);
  });

  it('runs nothing that is not trusted, even with --yes', async () => {
    const { path, digest } = await protocolFile(home, WALK);
    const answers = answersFile(home, ANSWERS);
    const run = await kairos(home, ['run', path, '--answers', answers, '--yes']);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`--trust ${digest}`);
    expect(run.stdout).toContain('echo warm > oven.txt');
    expect(existsSync(join(home.work, 'oven.txt'))).toBe(false);
    const wrong = await kairos(home, ['run', path, '--answers', answers, '--trust', 'f'.repeat(64)]);
    expect(wrong.code).toBe(3);
  });

  it('asks for the phrase of a dangerous command, which --yes never gives', async () => {
    const { path, digest } = await protocolFile(home, protocolWith(shell('rm -rf build')));
    const closing = 'The old build is gone and nothing else.';
    const without = await kairos(home, [
      'run',
      path,
      '--yes',
      '--trust',
      digest,
      '--answers',
      answersFile(home, { closing }),
    ]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('missing: 1.phrase');
    const answers = answersFile(home, { closing, '1.phrase': 'run it' });
    expect((await kairos(home, ['run', path, '--trust', digest, '--answers', answers])).code).toBe(0);
  });
});

describe('kairos run reports', () => {
  it('before the first step that the protocol was loosened since', async () => {
    const optional = (required: boolean) =>
      protocolWith({ proof_of_work: { ...shell('true').proof_of_work, required } });
    await protocolFile(home, optional(true), 'loose.md');
    expect((await kairos(home, ['mint', 'loose.md'])).code).toBe(0);
    const { digest } = await protocolFile(home, optional(false), 'loose.md');
    expect((await kairos(home, ['mint', 'loose.md', '--force'])).code).toBe(0);
    const answers = answersFile(home, { closing: 'It is as loose as it was said to be.' });
    const run = await kairosJson(home, ['run', 'one-demand', '--trust', digest, '--answers', answers]);
    expect(run.objects.slice(0, 2)).toMatchObject([
      { event: 'begun' },
      { event: 'note', text: 'Revision 2 of this protocol loosened a demand of the one before it.' },
    ]);
  });
});

describe('kairos run ends', () => {
  it('with 1 when a proof fails, and prints the literal command that resumes', async () => {
    const { path, digest } = await protocolFile(home, protocolWith(shell('test -e ready')));
    const answers = answersFile(home, { closing: 'Waited for it and then it was ready.' });
    const run = await kairos(home, ['run', path, '--trust', digest, '--answers', answers]);
    expect(run.code).toBe(1);
    const resume = /kairos (resume [0-9a-f-]{36})/.exec(run.stderr)![1]!;
    writeFileSync(join(home.work, 'ready'), '');
    const again = await kairos(home, [...resume.split(' '), '--trust', digest, '--answers', answers]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('Resumed run');
  });

  it('with the steps that are proven already, when it is resumed', async () => {
    const block = (cmd: string) => shell(cmd);
    const source = `# Two of them\n\n${stepOf('Look', 'Look.', block('true'))}\n${stepOf('Wait', 'Wait.', block('test -e ready'))}`;
    const { path, digest } = await protocolFile(home, source);
    const rest = [
      '--trust',
      digest,
      '--answers',
      answersFile(home, { closing: 'Looked and then it was ready.' }),
    ];
    expect((await kairos(home, ['run', path, ...rest])).code).toBe(1);
    const json = await kairosJson(home, ['resume', 'latest', ...rest]);
    const done = [{ step: 1, label: 'Look', assurance: 'observed' }];
    expect(json.objects[0]).toMatchObject({ event: 'begun', resumed: true, done });
    const again = await kairos(home, ['resume', 'latest', ...rest]);
    expect(again.stdout).toMatch(
      /^Resumed run [0-9a-f-]{36}, 2 steps\n {2}1\/2 {2}Look: proven \(observed\)$/m,
    );
  });

  it('with an error in the middle, keeps the run and prints how to resume; the same answers file continues it', async () => {
    const step = stepOf('There', 'Go there.', shell('touch seen.txt', { workdir: 'there' }));
    const ask = stepOf('Ask', 'Ask.', {
      proof_of_work: { type: 'user_input', user_input: { prompt: 'Ready?' } },
    });
    const { path, digest } = await protocolFile(home, `# Go there\n\n${ask}\n${step}`);
    const answers = answersFile(home, {
      Ask: 'We are ready.',
      closing: 'Went there in the end, and saw it.',
    });
    const run = await kairos(home, ['run', path, '--trust', digest, '--answers', answers]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/Resume with: kairos resume [\s\S]*workdir "there" does not exist/);
    mkdirSync(join(home.work, 'there'));
    const [, id] = /kairos resume ([0-9a-f-]{36})/.exec(run.stderr)!;
    expect(await kairos(home, ['resume', id!, '--trust', digest, '--answers', answers])).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(home.work, 'there', 'seen.txt'))).toBe(true);
  });

  it('with 124 when a command times out', async () => {
    const { path, digest } = await protocolFile(
      home,
      protocolWith(shell('sleep 60', { timeout_seconds: 1 })),
    );
    const answers = answersFile(home, { closing: 'This will not be reached by anyone.' });
    const run = await kairosJson(home, ['run', path, '--trust', digest, '--answers', answers]);
    expect(run.code).toBe(124);
    expect(run.objects.find(({ event }) => event === 'command_ended')).toMatchObject({ timed_out: true });
  });

  it('with 3 and all questions as JSON without a prompt', async () => {
    const { path, digest } = await protocolFile(home, WALK);
    for (const args of [['--no-input'], ['--no-input', '--yes']]) {
      const run = await kairos(home, ['run', path, ...args]);
      expect(run.code).toBe(3);
      const { questions } = JSON.parse(run.stdout) as { questions: { id: string; message: string }[] };
      const ids = questions.map(({ id }) => id);
      expect(ids).toEqual([
        'trust',
        ...(args.length === 1 ? ['2.run'] : []),
        '3.answer',
        '4.comment',
        'closing',
      ]);
      expect(questions[0]!.message).toContain(`--trust ${digest}`);
    }
    expect((await kairosJson(home, ['runs'])).objects).toEqual([{ runs: [], total: 0 }]);
  });

  it('with 3 again after a resume, which lists the step without its optional proof', async () => {
    const optional = { type: 'shell', shell: { cmd: 'exit 1', timeout_seconds: 20 }, required: false };
    const question = { type: 'user_input', user_input: { prompt: 'Is the page up?' } };
    const { path, digest } = await protocolFile(
      home,
      `# Look\n\n${stepOf('Warm up', 'Try it.', { proof_of_work: optional })}\n${stepOf('Ask', 'Ask.', { proof_of_work: question })}`,
    );
    const given = ['--trust', digest, '--yes'];
    expect((await kairos(home, ['run', path, ...given])).code).toBe(3);
    const resumed = await kairos(home, ['resume', 'latest', ...given], { stdin: '' });
    expect(resumed.code).toBe(3);
    expect(resumed.stdout).toContain('  1/2  Warm up: passed without its optional proof\n');
    const json = await kairosJson(home, ['resume', 'latest', ...given], { stdin: '' });
    expect(json.objects[0]).toMatchObject({ done: [{ step: 1, label: 'Warm up', assurance: null }] });
  });

  it('with 3 when the pipe ends before the answers do, and keeps what was proven', async () => {
    const { path, digest } = await protocolFile(home, protocolOf(['user_input', 'comment', 'none']));
    const first = await kairosJson(home, ['run', path, '--trust', digest], { stdin: 'Yes, go on.\n' });
    expect(first.code).toBe(3);
    const asked = first.objects.find(({ event }) => event === 'questions') as {
      questions: { id: string }[];
      resume: string;
    };
    expect(asked.questions.map(({ id }) => id)).toEqual(['2.comment']);
    const rest = await kairosJson(home, asked.resume.split(' ').slice(1), {
      stdin: 'Looked at all of it with both eyes open.\nDone, and it went well.\n',
    });
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.objects.find(({ event }) => event === 'sealed')).toMatchObject({ assurance: { claimed: 3 } });
  });

  it('with 4 after the answer no', async () => {
    const { path, digest } = await protocolFile(home, protocolWith(shell('echo never > never.txt')));
    const run = await kairos(home, ['run', path, '--trust', digest], { stdin: 'n\n' });
    expect(run.code).toBe(4);
    expect(existsSync(join(home.work, 'never.txt'))).toBe(false);
  });

  it('with 2 for a file of several protocols until one is named', async () => {
    const { path } = await protocolFile(
      home,
      `${protocolOf(['none'], 'First one')}\n${protocolOf(['none'], 'Second one')}`,
    );
    const run = await kairos(home, ['run', path]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('first-one, second-one');
    const chosen = await kairos(home, ['run', path, '--chain', 'second-one'], {
      stdin: 'Walked the second one of the two.\n',
    });
    expect(chosen.code).toBe(0);
  });
});

describe('kairos run --dry-run', () => {
  it('shows every step and resolved command, and runs nothing', async () => {
    const { path, digest } = await protocolFile(home, WALK);
    const run = await kairosJson(home, ['run', path, '--dry-run']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.objects).toEqual([
      {
        title: 'Check the oven',
        slug: 'check-the-oven',
        digest,
        trusted: false,
        inputs: {},
        steps: [
          { index: 1, label: 'Look', content: 'Look at it.', demands: [] },
          {
            index: 2,
            label: 'Heat',
            content: 'Heat it.',
            demands: [
              {
                type: 'shell',
                required: true,
                command: {
                  cmd: 'echo warm > oven.txt && cat oven.txt',
                  cwd: expect.stringContaining('work'),
                  env: [],
                  timeoutSeconds: 60,
                  danger: null,
                  missing_environment: [],
                },
              },
            ],
          },
          { index: 3, label: 'Ask', content: 'Ask them.', demands: [{ type: 'user_input', required: true }] },
          {
            index: 4,
            label: 'Tell',
            content: 'Tell about it.',
            demands: [
              { type: 'comment', required: true },
              { type: 'closing', required: true },
            ],
          },
        ],
      },
    ]);
    expect(existsSync(join(home.work, 'oven.txt'))).toBe(false);
    expect((await kairos(home, ['run', path, '--dry-run'])).stdout).toContain('echo warm > oven.txt');
  });
});

describe('secrets', () => {
  it('never reach the ledger, the terminal or the exported record', async () => {
    const secret = 'correct-horse-battery-staple';
    const { path, digest } = await protocolFile(
      home,
      protocolWith(shell('echo "token is $API_TOKEN"', { env: ['API_TOKEN'] })),
    );
    const answers = answersFile(home, { closing: `Used ${secret} and it worked well.` });
    const env = { API_TOKEN: secret };
    const run = await kairosJson(home, ['run', path, '--trust', digest, '--answers', answers], { env });
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toContain(secret);
    const id = String(run.objects.find(({ event }) => event === 'sealed')!.run_id);
    const exported = await kairos(home, ['runs', 'export', id]);
    expect(exported.stdout).toContain('[redacted:API_TOKEN]');
    expect(exported.stdout).not.toContain(secret);
  });
});

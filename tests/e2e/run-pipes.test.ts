import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CliHome,
  KAIROS_BIN,
  kairos,
  kairosJson,
  launchKairos,
  makeHome,
  SPAWNS,
} from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolOf, protocolWith, stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** `kairos run` between programs: no terminal anywhere. */
let home: CliHome;
let asked: { path: string; digest: string };
beforeAll(async () => {
  home = makeHome();
  asked = await protocolFile(home, ASKED, 'asked.md');
});
afterAll(() => home.remove());

const shell = (cmd: string, more: object = {}) => ({
  proof_of_work: { type: 'shell', shell: { cmd, ...more } },
});
const ASKED = `# Ask around

${stepOf('Begin', 'Read this.', null)}
${stepOf('Ask', 'Ask them.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Is it hot?', choices: ['yes', 'no'] } } })}
${stepOf('Heat', 'Heat it.', shell('echo warm'))}
${stepOf('Tell', 'Tell about it.', { proof_of_work: { type: 'comment', comment: { min_length: 20 } } })}
`;
const LINES = ['yes', 'y', 'Everything in it was rather warm.', 'All of it went well in the end.'];
const CLOSING = 'All of it went well in the end.';

type Event = Record<string, unknown> & { event: string };

/** Every line an event; nothing else on standard output. */
function eventsIn(stdout: string): Event[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
}

/** Walks `asked.md` with answers that are written as told, and expects it sealed with what they claim. */
async function walkBy(write: (put: (text: string) => void) => Promise<void> | void): Promise<void> {
  const call = await launchKairos(home, ['run', asked.path, '--trust', asked.digest, '--json']);
  await write((text) => call.stdin.write(text));
  call.stdin.end();
  const { code, stdout, stderr } = await call.exit;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const events = eventsIn(stdout);
  expect(events.at(-1)).toMatchObject({
    event: 'sealed',
    outcome: 'success',
    verified: 'whole',
    assurance: { observed: 1, attested: 0, client: 0, claimed: 3 },
  });
  const { entries } = await exportedLedger(home, String(events.at(-1)?.run_id));
  const said = entries.flatMap(({ kind, data }) =>
    kind === 'proof.accepted' && data.shell === undefined ? [data.user_input ?? data.comment] : [],
  );
  expect(said).toEqual([
    { confirmation: 'yes', timestamp: expect.any(String) },
    { text: LINES[2] },
    { text: CLOSING },
  ]);
}

describe('piped answers', () => {
  it('may come all together', () => walkBy((put) => put(`${LINES.join('\n')}\n`)));

  it('may have CRLF, and no line end at the end', () => walkBy((put) => put(LINES.join('\r\n'))));

  it('may come slowly, in pieces that end anywhere', () =>
    walkBy(async (put) => {
      for (const [at, piece] of (`${LINES.join('\n')}\n`.match(/.{1,17}/gs) ?? []).entries()) {
        await delay(at === 0 ? 400 : 60);
        put(piece);
      }
    }));

  it('may hold an account of several lines', () =>
    walkBy((put) => put(`yes\ny\n"""\n${LINES[2]}\n"""\n${CLOSING}\n`)));

  it('that will not do end with 2 and keep what was proven', async () => {
    const args = ['run', asked.path, '--trust', asked.digest];
    const run = await kairos(home, args, { stdin: 'yes\ny\nwarm\nnever read\n' });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('4.comment');
    expect(run.stderr).toContain('at least 20 are needed');
    const resume = /kairos (resume [0-9a-f-]{36})/.exec(run.stderr)?.[1]?.split(' ') ?? [];
    const rest = await kairos(home, [...resume, '--trust', asked.digest], {
      stdin: `${LINES[2]}\n${CLOSING}\n`,
    });
    expect(rest).toMatchObject({ code: 0 });
  });

  it('that no question used are reported, so that a shifted answer is noticed', async () => {
    const args = ['run', asked.path, '--trust', asked.digest];
    const run = await kairos(home, args, { stdin: `${LINES.join('\n')}\n\none too many\nand another\n` });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Unused piped answers: 2.');
  });

  it("that don't come leave the question open: kairos never hangs on a silent pipe", async () => {
    const call = await launchKairos(home, ['run', asked.path, '--trust', asked.digest, '--json'], {
      env: { KAIROS_ANSWER_TIMEOUT: '1' },
    });
    const { code, stdout } = await call.exit;
    call.stdin.end();
    expect(code).toBe(3);
    expect(eventsIn(stdout).filter(({ event }) => event === 'questions')).toMatchObject([
      { questions: [{ id: '2.answer' }], resume: expect.stringMatching(/^kairos resume /) },
    ]);
  });
});

describe('without a person', () => {
  it.each([
    ['a closed standard input', { stdin: 'closed' as const }, []],
    ['an empty one', {}, []],
    ['--no-input', {}, ['--no-input']],
  ])('%s ends with 3 and the questions as JSON', async (_name, options, flags) => {
    const args = ['run', asked.path, '--trust', asked.digest, ...flags];
    const run = await kairos(home, args, options);
    expect(run.code).toBe(3);
    const json = run.stdout.split('\n').find((line) => line.startsWith('{'));
    const { questions } = JSON.parse(json ?? 'null') as { questions: { id: string; kind: string }[] };
    expect(questions[0]).toEqual({
      id: '2.answer',
      kind: 'choice',
      message: 'Is it hot?',
      step: { index: 2, label: 'Ask' },
      options: expect.arrayContaining([{ value: 'yes', label: 'yes', key: '1' }]),
    });
    expect(run.stderr).toContain('--answers FILE');
  });

  it('a file of prose is named as such', async () => {
    const { path } = await protocolFile(home, '# Guide\n\n## Install\n\nRun it.\n', 'guide.md');
    const { stderr } = await kairos(home, ['run', path]);
    expect(stderr).toContain(`so it is prose. To make a protocol of it: kairos import ${path}`);
    expect((await kairos(home, ['run', asked.path, '--trust', asked.digest])).stderr).not.toContain('prose');
  });

  it('an open run of the same content is named, with the command that resumes it', async () => {
    const own = await protocolFile(home, ASKED.replace('Ask around', 'Ask twice'), 'twice.md');
    const args = ['run', own.path, '--trust', own.digest];
    const first = await kairos(home, args);
    const [, resume] = /^Resume with: (kairos resume \S+)$/m.exec(first.stderr)!;
    expect(first.stderr).not.toContain('same content');
    expect(first.stderr).toContain('Standard input ended before the question was answered.');
    const second = await kairos(home, args);
    expect(second.stderr).toContain(`This call begins a new run. To resume the open one: ${resume}`);
    const { objects } = await kairosJson(home, args);
    expect(objects[0]).toMatchObject({ event: 'open_run', resume: expect.stringContaining('kairos resume') });
    const changed = await protocolFile(
      home,
      ASKED.replace('Ask around', 'Ask twice').replace('hot', 'cold'),
      'twice.md',
    );
    expect((await kairos(home, ['run', changed.path, '--trust', changed.digest])).stderr).not.toContain(
      'same content',
    );
  });

  it.each([
    [['--no-input'], {}, ''],
    [
      [],
      { KAIROS_ANSWER_TIMEOUT: '0.2' },
      'Standard input was silent for 0.2 s. To wait longer, set KAIROS_ANSWER_TIMEOUT',
    ],
  ])('prints why it got no answer: %j %j', async (flags, env, reason) => {
    const call = await launchKairos(home, ['run', asked.path, '--trust', asked.digest, ...flags], { env });
    const { code, stderr } = await call.exit;
    expect(code).toBe(3);
    expect(stderr).toContain(reason === '' ? 'kairos asks nothing because of --no-input.' : reason);
  });

  it('names the run that latest stands for', async () => {
    const { path, digest } = await protocolFile(home, ASKED, 'latest.md');
    const run = await kairos(home, ['run', path, '--trust', digest], { stdin: LINES.join('\n') });
    const id = /Run ([0-9a-f]{8})/.exec(run.stdout)![1]!;
    const title = /^# (.*)$/m.exec(ASKED)![1]!;
    for (const words of [
      ['report', 'latest', '--format', 'md'],
      ['runs', 'note', 'latest', 'Looked at.'],
      ['runs', 'close', 'latest', '--reason', 'It is not needed.'],
    ]) {
      const { stderr } = await kairos(home, words);
      expect({ words, stderr }).toMatchObject({
        stderr: expect.stringContaining(`latest is run ${id}: ${title}\n`),
      });
    }
    const { stdout } = await kairos(home, ['verify', 'latest']);
    expect(stdout).toContain(`  latest (run ${id}: ${title})  `);
  });

  it('nothing is begun before content is trusted', async () => {
    const runIds = async () => {
      const [list] = (await kairosJson(home, ['runs'])).objects as { runs: { run_id: string }[] }[];
      return list?.runs.map(({ run_id }) => run_id);
    };
    const before = await runIds();
    const run = await kairosJson(home, ['run', asked.path], { stdin: 'y\nyes\n' });
    expect(run.code).toBe(3);
    expect(run.objects).toMatchObject([
      { questions: [{ id: 'trust', message: expect.stringContaining(`--trust ${asked.digest}`) }] },
      { event: 'stopped', exit_code: 3, run_id: null, resume: null },
    ]);
    expect(await runIds()).toEqual(before);
  });
});

describe('--json', () => {
  it('prints events, one valid object in a line, and nothing else on standard output', async () => {
    const noisy = await protocolFile(
      home,
      protocolWith(shell('printf "a\\nb\\r\\033[31m{\\"event\\":1}\\n"; echo wrong >&2; exit 3')),
      'noisy.md',
    );
    const answers = answersFile(home, { closing: CLOSING });
    const args = ['run', noisy.path, '--trust', noisy.digest, '--answers', answers, '--json'];
    const run = await kairos(home, args);
    expect(run.code).toBe(1);
    const events = eventsIn(run.stdout);
    expect(events.map(({ event }) => event)).toEqual([
      'begun',
      'step',
      'command',
      ...events.filter(({ event }) => event === 'output').map(() => 'output'),
      'command_ended',
      'answer',
      'stopped',
    ]);
    const output = (stream: string) =>
      events
        .filter((event) => event.event === 'output' && event.stream === stream)
        .map(({ text }) => text)
        .join('');
    expect({ stdout: output('stdout'), stderr: output('stderr') }).toEqual({
      stdout: 'a\nb\r\x1b[31m{"event":1}\n',
      stderr: 'wrong\n',
    });
    expect(events.at(-2)).toMatchObject({ error_code: 'COMMAND_FAILED', handed_in_as: 'observed' });
    expect(events.at(-1)).toMatchObject({
      exit_code: 1,
      run_id: events[0]?.run_id,
      resume: `kairos resume ${events[0]?.run_id}`,
    });
  });
});

describe('the command of a step', () => {
  it('gets the end of input, never the answers', async () => {
    const reader = await protocolFile(home, protocolWith(shell('cat > got.txt; wc -c < got.txt')), 'cat.md');
    const run = await kairosJson(home, ['run', reader.path, '--trust', reader.digest], {
      stdin: `y\n${CLOSING}\n`,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.objects.filter(({ event }) => event === 'output').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\s*0\n$/),
    ]);
  });

  it('may write a megabyte: all of it is shown, head and tail are kept', async () => {
    const cmd = `${JSON.stringify(process.execPath)} -e 'process.stdout.write("x".repeat(2 ** 20) + "\\nend\\n")'`;
    const big = await protocolFile(home, protocolWith(shell(cmd, { stdout_matches: 'end' })), 'big.md');
    const answers = answersFile(home, { closing: CLOSING }, 'big.yaml');
    const run = await kairosJson(home, ['run', big.path, '--trust', big.digest, '--answers', answers]);
    expect(run).toMatchObject({ code: 0 });
    const shown = run.objects
      .filter(({ event }) => event === 'output')
      .reduce((total, { text }) => total + String(text).length, 0);
    expect(shown).toBe(2 ** 20 + 5);
    const runId = String(run.objects.at(-1)?.run_id);
    const { entries } = await exportedLedger(home, runId);
    const proof = entries.find(({ kind }) => kind === 'proof.accepted')?.data.shell as {
      stdout: string;
      stdout_bytes: number;
    };
    expect(proof.stdout_bytes).toBe(2 ** 20 + 5);
    expect(proof.stdout.length).toBeLessThan(140_000);
    expect(proof.stdout.endsWith('\nend\n')).toBe(true);
  });
});

describe.runIf(SPAWNS && process.platform !== 'win32')('a reader that goes away', () => {
  it.each(['', '--json'])('neither stops nor spoils the run (%s)', async (flag) => {
    const piped = await protocolFile(home, protocolOf(['none'], 'Piped away'), 'piped.md');
    const lines = await protocolFile(home, protocolWith(shell('seq 20000'), 'Long lines'), 'lines.md');
    const answers = answersFile(home, { closing: CLOSING }, 'epipe.yaml');
    for (const { path, digest } of [piped, lines]) {
      const script = `{ "$NODE" "$KAIROS" run "$FILE" --trust "$DIGEST" --answers "$ANSWERS" ${flag}; echo "code $?" >&2; } | head -c 10`;
      const { stderr } = spawnSync('/bin/sh', ['-c', script], {
        cwd: home.work,
        env: {
          ...home.env,
          NODE: process.execPath,
          KAIROS: KAIROS_BIN,
          FILE: path,
          DIGEST: digest,
          ANSWERS: answers,
        },
        encoding: 'utf8',
      });
      expect(stderr.split('\n').at(-2)).toBe('code 0');
    }
    const { objects } = await kairosJson(home, ['runs', '--limit', '2']);
    const [listed] = objects as { runs: { run_id: string; outcome: string }[] }[];
    expect(listed?.runs.map(({ outcome }) => outcome)).toEqual(['success', 'success']);
    expect(await kairos(home, ['verify', ...(listed?.runs ?? []).map(({ run_id }) => run_id)])).toMatchObject(
      { code: 0 },
    );
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome, startKairos } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const STEPS = 5;
const step = (n: number) =>
  stepOf(`Part ${n}`, `Do part ${n}.`, {
    proof_of_work: {
      type: 'shell',
      shell: { cmd: `echo ${n} >> done.txt && sleep 0.05`, timeout_seconds: 20 },
    },
  });
const DOCUMENT = `# Leave a trace\n\n${Array.from({ length: STEPS }, (_, at) => step(at + 1)).join('\n')}`;
const KILLS = 12;

interface Entry {
  kind: string;
  hash: string;
  data: { step?: number };
}

it('SIGKILL at any moment loses no accepted proof and repeats no started command', async () => {
  const { path, digest } = await protocolFile(home, DOCUMENT);
  const answers = answersFile(home, { closing: 'Survived every crash on the way to the end.' });
  const given = ['--trust', digest, '--answers', answers];
  // What a run takes undisturbed, start-up included: the moments to kill at lie within it.
  const begun = performance.now();
  await kairos(home, ['run', path, ...given]);
  const whole = performance.now() - begun;

  for (let kill = 0; kill < KILLS; kill += 1) {
    const scene = makeHome();
    try {
      const { path: file } = await protocolFile(scene, DOCUMENT);
      const child = startKairos(scene, ['run', file, ...given]);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await delay(whole * ((kill + 0.5) / KILLS));
      child.kill('SIGKILL');
      await ended;
      await delay(150); // a command that was running ends by itself
      await goOn(scene, given);
    } finally {
      scene.remove();
    }
  }
});

/** What must hold after the crash, and that the run can be taken to its end. */
async function goOn(scene: CliHome, given: string[]): Promise<void> {
  const [listed] = (await kairosJson(scene, ['runs'])).objects as {
    runs: { run_id: string; outcome: string | null }[];
  }[];
  const run = listed!.runs[0];
  if (run === undefined) {
    expect(existsSync(join(scene.work, 'done.txt'))).toBe(false);
    return;
  }
  const before = await entriesOf(scene, run.run_id);
  const accepted = before.filter(({ kind }) => kind === 'proof.accepted');
  const started = before.filter(({ kind }) => kind === 'command.started').map(({ data }) => data.step!);
  const finished = before.filter(({ kind }) => kind === 'command.finished').length;
  // Everything that ran is on record as started; nothing ran twice.
  const traces = tracesOf(scene);
  expect(traces).toEqual([...new Set(traces)]);
  expect(traces.every((n) => started.includes(n))).toBe(true);
  if (run.outcome !== null) return;

  const resumed = await kairosJson(scene, ['resume', run.run_id, ...given]);
  const after = await entriesOf(scene, run.run_id);
  expect(after.slice(0, before.length)).toEqual(before);
  if (started.length > finished) {
    // In doubt: asked, not repeated.
    expect(resumed.code).toBe(3);
    expect(JSON.stringify(resumed.objects)).toContain('its end is not known');
    expect(tracesOf(scene)).toEqual(traces);
  } else {
    expect(resumed.code).toBe(0);
    expect(tracesOf(scene)).toEqual(Array.from({ length: STEPS }, (_, at) => at + 1));
    const proofs = after.filter(({ kind }) => kind === 'proof.accepted');
    expect(proofs.slice(0, accepted.length)).toEqual(accepted);
    expect(proofs).toHaveLength(STEPS + 1);
    expect((await kairos(scene, ['verify', run.run_id])).code).toBe(0);
  }
}

async function entriesOf(scene: CliHome, runId: string): Promise<Entry[]> {
  const { stdout } = await kairos(scene, ['runs', 'export', runId]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
    .filter(({ kind }) => kind !== undefined);
}

function tracesOf(scene: CliHome): number[] {
  const path = join(scene.work, 'done.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
}

it('lists the question about a command whose end is not known, without input', async () => {
  const scene = makeHome();
  try {
    const ends = { type: 'shell', shell: { cmd: 'kill -9 $PPID', timeout_seconds: 20 } };
    const { path, digest } = await protocolFile(
      scene,
      `# End it\n\n${stepOf('End kairos', 'Ends it.', { proof_of_work: ends })}`,
    );
    const answers = answersFile(scene, { closing: 'This is never reached.' });
    await kairos(scene, ['run', path, '--trust', digest, '--answers', answers]);
    for (const [words, others] of [
      [['--no-input'], ['1.run']],
      [['--no-input', '--yes'], []],
    ] as const) {
      const { code, objects } = await kairosJson(scene, ['resume', 'latest', '--trust', digest, ...words]);
      const { questions } = objects.find((each) => Array.isArray(each.questions)) as {
        questions: { id: string; message: string }[];
      };
      expect([code, questions.map(({ id }) => id)]).toEqual([3, ['1.again', ...others, 'closing']]);
      expect(questions[0]!.message).toContain('its end is not known:\n  kill -9 $PPID\n');
    }
  } finally {
    scene.remove();
  }
});

it('SIGKILL between a capture and the next step loses no value', async () => {
  const read = {
    proof_of_work: { type: 'shell', shell: { cmd: 'echo release v1.2.3', timeout_seconds: 20 } },
    captures: [{ name: 'RELEASE', from: 'stdout', pattern: 'v([0-9.]+)' }],
  };
  const ask = {
    proof_of_work: {
      type: 'user_input',
      user_input: { prompt: 'Ship {{RELEASE}} to {{HOST}}?', choices: ['ship it'] },
    },
  };
  const ship = {
    proof_of_work: {
      type: 'shell',
      shell: { cmd: 'echo "$RELEASE $HOST" > shipped.txt', timeout_seconds: 20 },
    },
  };
  const document = `---\ninputs:\n  HOST: { description: Where it goes }\n---\n# Ship\n\nFor the tests.\n\n${stepOf('Read', 'Read it.', read)}\n${stepOf('Ask', 'Ask.', ask)}\n${stepOf('Ship', 'Ship {{RELEASE}}.', ship)}`;
  const { path, digest } = await protocolFile(home, document);
  const child = startKairos(home, ['run', path, '--yes', '--trust', digest, '--input', 'HOST=lb2']);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let shown = '';
  await new Promise<void>((resolve) => {
    const hear = (chunk: Buffer) => {
      shown += chunk;
      if (shown.includes('Ship 1.2.3 to lb2?')) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
  });
  child.kill('SIGKILL');
  await ended;
  const answers = answersFile(home, {
    '2.answer': 'ship it',
    closing: 'Shipped it after the crash, as asked.',
  });
  const resumed = await kairos(home, ['resume', '--answers', answers, '--trust', digest]);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('Ship 1.2.3.') });
  expect(readFileSync(join(home.work, 'shipped.txt'), 'utf8')).toBe('1.2.3 lb2\n');
  expect((await kairos(home, ['verify', 'latest'])).code).toBe(0);
});

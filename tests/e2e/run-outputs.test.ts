import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { ASKED, answer, enter, openKairos, runIdIn } from '../support/kairos-terminal.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolOf, protocolWith, stepOf } from '../support/protocols.ts';
import { closeTerminals, KEYS } from '../support/pty.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Steps that ask a model, and steps after which files must hold, walked by the real binary. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const CLOSING = 'The parts were counted and the report was written.';
const shell = (cmd: string) => ({ type: 'shell', shell: { cmd, timeout_seconds: 20 } });

async function run(markdown: string, answers: Record<string, unknown>, more: string[] = []) {
  const { path, digest } = await protocolFile(home, markdown);
  const file = answersFile(home, answers);
  return kairosJson(home, ['run', path, '--answers', file, '--trust', digest, ...more]);
}

describe('a step that asks a model', () => {
  const ASKS = protocolOf(['sampling_then', 'none']);

  it('reads the answer from a file as a claim, and the proof of work after it', async () => {
    const walked = await run(ASKS, {
      '1.sampling': '{"parts": 1}',
      '1.answer': 'Yes, that is the right count.',
      closing: CLOSING,
    });
    expect(walked).toMatchObject({ code: 0, stderr: '' });
    const sealed = walked.objects.at(-1)!;
    expect(sealed).toMatchObject({
      event: 'sealed',
      assurance: { claimed: 3, client: 0 },
      verified: 'whole',
    });
    const { entries } = await exportedLedger(home, String(sealed.run_id));
    const proofs = entries.filter(({ kind }) => kind === 'proof.accepted').map(({ data }) => data);
    expect(proofs.map(({ step, type }) => [step, type])).toEqual([
      [1, 'sampling'],
      [1, 'user_input'],
      [2, 'comment'],
    ]);
    expect(proofs[0]).toMatchObject({ sampling: { result_json: '{"parts":1}' } });
  });

  it('reports an answer that does not fit before the first step', async () => {
    const walked = await run(ASKS, {
      '1.sampling': '{"parts": "one"}',
      '1.answer': 'Yes.',
      closing: CLOSING,
    });
    expect(walked.code).toBe(2);
    expect(JSON.parse(walked.stderr).error.message).toContain(
      'not accepted: 1.sampling: The answer does not satisfy the schema: 1 place is wrong.; /parts  type',
    );
  });

  it.runIf(SPAWNS)('shows the prompt to a person, who is asked again until the answer fits', async () => {
    const { path } = await protocolFile(home, ASKS);
    const terminal = openKairos(home, ['run', path]);
    await terminal.waitFor('Prompt: How many parts are there?');
    await answer(terminal, 'The answer has to satisfy this schema', '{"parts": 1.5}');
    await terminal.waitFor('/parts  type');
    enter(terminal, `${KEYS.backspace.repeat(3)}}`);
    await terminal.waitFor('proven (client)');
    await answer(terminal, 'Is that the right count?', 'Yes, it is.');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    const { entries } = await exportedLedger(home, runIdIn(terminal.screen()));
    expect(entries.find(({ kind }) => kind === 'proof.accepted')?.data).toMatchObject({
      type: 'sampling',
      assurance: 'client',
    });
  });

  it('can be submitted by hand, with every place that is wrong', async () => {
    writeFileSync(join(home.work, 'p.md'), ASKS);
    const [minted] = (await kairosJson(home, ['mint', 'p.md'])).objects as { items: { uri: string }[] }[];
    const { uri } = minted!.items[0]!;
    const begun = (await kairosJson(home, ['begin', uri])).objects[0] as {
      run_id: string;
      challenge: { nonce: string; proof_hash: string };
    };
    const { nonce, proof_hash } = begun.challenge;
    const solution = { type: 'sampling', nonce, proof_hash, sampling: { result: { parts: 'two' } } };
    const given = ['next', uri, '--run', begun.run_id, '--solution', JSON.stringify(solution)];
    const refused = await kairos(home, given);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('SAMPLING_INVALID_OUTPUT');
    expect(refused.stdout).toMatch(/^ {2}\/parts {2}type$/m);
  });
});

describe('outputs', () => {
  const outputs = [{ path: 'dist/*.json', json_pointer: '/parts', equals: 3 }];
  const BUILDS = (cmd: string) => protocolWith({ proof_of_work: shell(cmd), outputs }, 'Build it');

  it('that the command leaves behind are read by kairos and recorded', async () => {
    const walked = await run(BUILDS(`mkdir dist && printf '{"parts": 3}' > dist/a.json`), {
      closing: CLOSING,
    });
    expect(walked).toMatchObject({ code: 0 });
    const runId = String(walked.objects.at(-1)!.run_id);
    const shown = await kairos(home, ['runs', 'show', runId, '--entries']);
    expect(shown.stdout).toMatch(
      /kairos read dist\/a\.json, 12 bytes, sha256 [0-9a-f]{64}; checked: json_pointer, equals/,
    );
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });

  it.each([
    ['is missing', 'true', 'challenge.outputs[0].exists: no file is there'],
    [
      'holds something else',
      `mkdir dist && printf '{"parts": 3}' > dist/a.json && cp other.json dist/b.json`,
      'challenge.outputs[0].equals: the value is another one',
    ],
    [
      'is a link to a file that would do',
      `mkdir dist && printf '{"parts": 3}' > a.json && ln -s ../a.json dist/a.json`,
      'challenge.outputs[0].path: it is a symbolic link',
    ],
  ])('fail the step when a file %s', async (_, cmd, why) => {
    writeFileSync(join(home.work, 'other.json'), '{"parts": "seventy-nine"}');
    const walked = await run(BUILDS(cmd), { closing: CLOSING });
    expect(walked.code).toBe(1);
    const failed = walked.objects.filter(({ event }) => event === 'answer').at(-1);
    expect(failed).toMatchObject({
      error_code: 'OUTPUT_MISMATCH',
      message: `1 of 1 outputs does not match. ${why}.`,
    });
    expect(walked.stdout).not.toContain('seventy-nine');
    const runId = String(walked.objects.at(-1)!.run_id);
    const { entries } = await exportedLedger(home, runId);
    expect(JSON.stringify(entries)).not.toContain('seventy-nine');
  });

  it('are read where the commands run, and by absolute path below --root only', async () => {
    const [there, other] = [join(home.root, 'there'), join(home.root, 'other')];
    for (const folder of [there, other]) mkdirSync(folder);
    writeFileSync(join(other, 'seen.txt'), 'seen');
    const markdown = `# Two places\n\n${stepOf('Write', 'Write it.', {
      proof_of_work: shell('printf made > made.txt'),
      outputs: [
        { path: 'made.txt', matches: '^made$' },
        { path: join(other, 'seen.txt'), exists: true },
      ],
    })}`;
    const workdir = ['--workdir', there];
    const refused = await run(markdown, { closing: CLOSING }, workdir);
    expect(refused.objects.filter(({ event }) => event === 'answer').at(-1)).toMatchObject({
      message:
        '1 of 2 outputs does not match. challenge.outputs[1].path: it lies outside of the folders that may be read.',
    });
    const rooted = await run(markdown, { closing: CLOSING }, [...workdir, '--root', other]);
    expect(rooted).toMatchObject({ code: 0 });
    const absent = await run(markdown, { closing: CLOSING }, [...workdir, '--root', 'absent']);
    expect(absent.code).toBe(2);
    expect(absent.stderr).toContain('absent cannot be read');
  });

  it('without any command need no trust, and are resumed with the same folders', async () => {
    mkdirSync(join(home.root, 'o t'));
    symlinkSync(join(home.root, 'o t'), join(home.root, 'alias'));
    const file = join(home.root, 'alias', 'done.txt');
    const { path } = await protocolFile(home, protocolWith({ outputs: [{ path: file }] }, 'Look'));
    const answers = answersFile(home, { '1.comment': 'Looked at the file that was left.', closing: CLOSING });
    const root = join(home.root, 'alias');
    const stopped = await kairosJson(home, ['run', path, '--answers', answers, '--root', root]);
    expect(stopped.code).toBe(1);
    const { resume } = stopped.objects.at(-1) as { resume: string };
    // The run's record holds the folders.
    expect(resume).toMatch(/^kairos resume [0-9a-f-]{36}$/);
    writeFileSync(file, '');
    const args = resume.split(' ').slice(1);
    expect(await kairosJson(home, [...args, '--answers', answers])).toMatchObject({ code: 0 });
  });
});

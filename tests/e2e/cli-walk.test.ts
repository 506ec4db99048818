import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Challenge, RunFields } from '../../src/run/walk-fields.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { rightAnswer, walkLiterally, wrongAnswer } from '../support/walker.ts';

/** Walking by hand: begin, next and attest through the real binary. */
let home: CliHome;
let uris: string[];
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), protocolOf(['none', 'shell', 'comment'], 'Walk about'));
  const { items } = firstObject<{ items: { uri: string }[] }>(await kairosJson(home, ['mint', 'walk.md']));
  uris = items.map(({ uri }) => uri);
});
afterAll(() => home.remove());

const ACCOUNT = 'Went all the way round the pond and counted the ducks.';
const one = async (args: string[], options = {}) => {
  const { objects, ...rest } = await kairosJson(home, args, options);
  return { ...rest, answer: objects[0] as RunFields & Record<string, unknown> };
};
const solve = (challenge: Challenge) =>
  JSON.stringify({ nonce: challenge.nonce, proof_hash: challenge.proof_hash, ...rightAnswer(challenge, 1) });

describe('a run by hand', () => {
  it('reaches a sealed run that verifies, by typing what each answer prints', async () => {
    const begun = await kairos(home, ['begin', 'walk-about']);
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    expect(begun.stdout).toContain('1/3  Part 1 none');
    expect(begun.stdout).toContain('This revision is not trusted on this machine');

    const shell = await kairos(home, typed(begun.stdout));
    expect(shell.stdout).toContain('Run the command, then enter its exit code.\n');
    expect(shell.stdout).toContain('2/3  Part 2 shell');
    expect(shell.stdout).toMatch(/command {2,}make check/);

    const unread = await kairos(home, typed(shell.stdout));
    expect(unread).toMatchObject({ code: 2, stderr: expect.stringContaining('is not valid JSON') });

    const comment = await kairos(home, typed(shell.stdout, { '<EXIT CODE>': '0' }));
    expect(comment.stdout).toContain('3/3  Part 3 comment');
    const blank = await kairos(home, typed(comment.stdout));
    expect(blank).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('<ACCOUNT> is a blank that must be filled in'),
    });

    const closing = await kairos(home, typed(comment.stdout, { '<ACCOUNT>': ACCOUNT }));
    expect(closing.stdout).toContain('Every step is done. The run still has to be closed.');
    const sealed = await kairos(home, typed(closing.stdout, { '<ACCOUNT>': `In the end: ${ACCOUNT}` }));
    expect(sealed).toMatchObject({ code: 0, stderr: '' });
    expect(sealed.stdout).toContain(
      'Run sealed with outcome success. Self-reported: every proof of this run is a claim.',
    );
    expect(sealed.stdout).toMatch(/proofs {2,}3 claimed/);
    expect(await kairos(home, typed(sealed.stdout))).toMatchObject({ code: 0 });
  });

  it('reports in sentences for people what is missing or wrong, with the code after it', async () => {
    const begun = await one(['begin', 'walk-about']);
    const run = begun.answer.run_id as string;
    await one(['next', uris[1] as string, '--run', run]);
    const unproven = await kairos(home, ['next', uris[1] as string, '--run', run]);
    expect(unproven.stdout).toContain('This step needs a proof, and none was given. (MISSING_PROOF)');
    const solution = JSON.stringify({ type: 'shell', nonce: 'a', shell: { exit_code: 0 } });
    const other = await kairos(home, ['next', uris[1] as string, '--run', run, '--solution', solution]);
    expect(other.stdout).toContain(
      'The solution was made for another step or run. The command below fits this one. (NONCE_MISMATCH) Failures of this step: 1.',
    );
    for (const { stdout } of [unproven, other])
      expect(stdout.replaceAll(/^ .*$/gm, '')).not.toMatch(/kairos_|challenge|solution matching|pending/);
  });

  it('prints the object of the tool and ends with 1 for a run error', async () => {
    const begun = await one(['begin', uris[0] as string]);
    expect(begun.code).toBe(0);
    const run = begun.answer.run_id as string;
    const shown = await one(['next', uris[1] as string, '--run', run]);
    const failed = await one([
      'next',
      uris[1] as string,
      '--solution',
      JSON.stringify({
        ...wrongAnswer(shown.answer.challenge as Challenge),
        nonce: shown.answer.challenge?.nonce,
        proof_hash: shown.answer.challenge?.proof_hash,
      }),
    ]);
    expect(failed).toMatchObject({
      code: 1,
      stderr: '',
      answer: { error_code: 'COMMAND_FAILED', retry_count: 1, run_id: run },
    });
    const human = await kairos(home, ['next', uris[1] as string, '--run', run]);
    expect(human).toMatchObject({ code: 1, stderr: '' });
    expect(human.stdout).toMatch(/^This step needs a proof, and none was given\. \(MISSING_PROOF\)/);
  });

  it('reads a solution from a file and from standard input', async () => {
    const { answer } = await one(['begin', 'walk-about']);
    const shown = await one(['next', uris[1] as string, '--run', answer.run_id as string]);
    writeFileSync(join(home.work, 'solution.json'), solve(shown.answer.challenge as Challenge));
    const next = await one(['next', uris[1] as string, '--solution', '@solution.json']);
    expect(next).toMatchObject({ code: 0, answer: { protocol_status: 'continue', run_id: answer.run_id } });
    const last = await one(['next', uris[2] as string, '--solution', '-'], {
      stdin: solve(next.answer.challenge as Challenge),
    });
    expect(last).toMatchObject({ code: 0, answer: { protocol_status: 'completed' } });
  });

  it('resumes an open run, and finds runs by session', async () => {
    const env = { KAIROS_SESSION: 'tea' };
    const { answer } = await one(['begin', 'walk-about'], { env });
    const resumed = await one(['begin', 'walk-about', '--resume'], { env });
    expect(resumed.answer.run_id).toBe(answer.run_id);
    expect(await one(['next', uris[1] as string], { env })).toMatchObject({
      code: 0,
      answer: { run_id: answer.run_id },
    });
    const other = await one(['begin', 'walk-about']);
    const ambiguous = await one(['next', uris[1] as string]);
    expect(ambiguous).toMatchObject({ code: 1, answer: { error_code: 'AMBIGUOUS_RUN' } });
    const told = await kairos(home, ['next', uris[1] as string]);
    for (const { run_id: id } of [answer, other.answer]) expect(told.stdout).toContain(`--run ${id}`);
  });

  it('fails closed on what it does not know', async () => {
    expect(await kairos(home, ['begin', 'no-such-protocol'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: no protocol has the slug "no-such-protocol" in space default\n/),
    });
    const unknown = await kairosJson(home, ['next', 'kairos://mem/00000000-1111-5222-8333-444444444444']);
    expect(unknown).toMatchObject({ code: 1, objects: [] });
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await one(['begin', uris[1] as string])).toMatchObject({
      code: 1,
      answer: { error_code: 'NOT_FIRST_STEP' },
    });
    expect(await kairos(home, ['begin', 'walk-about', '--require-trust'])).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  it('seals a failure at any point, and only once', async () => {
    const { answer } = await one(['begin', 'walk-about']);
    const attest = [
      'attest',
      uris[0] as string,
      'failure',
      'It rained.',
      '--run',
      answer.run_id as string,
      '--quality-bonus',
      '-0.5',
      '--model',
      'm-1',
    ];
    expect(await one(attest)).toMatchObject({
      code: 0,
      answer: {
        next_action: null,
        results: [{ outcome: 'failure', message: 'It rained.', quality_bonus: -0.5 }],
        total_rated: 1,
      },
    });
    expect(await one(attest)).toMatchObject({ code: 1, answer: { error_code: 'RUN_CLOSED' } });
  });

  it('reaches the end for a user who only follows the printed commands', async () => {
    const tools = {
      begin: async ({ uri }: { uri: string }) => (await one(['begin', uri])).answer,
      next: async ({ uri, solution, run_id }: { uri: string; solution?: unknown; run_id?: string }) =>
        (
          await one([
            'next',
            uri,
            ...(solution ? ['--solution', JSON.stringify(solution)] : []),
            ...(run_id ? ['--run', run_id] : []),
          ])
        ).answer,
      attest: async ({
        uri,
        outcome,
        message,
        run_id,
      }: {
        uri: string;
        outcome: string;
        message: string;
        run_id?: string;
      }) => (await one(['attest', uri, outcome, message, ...(run_id ? ['--run', run_id] : [])])).answer,
    };
    for (const convention of ['as-told', 'pending'] as const) {
      const { answers } = await walkLiterally(tools, uris[0] as string, { convention, solve: rightAnswer });
      expect(answers.at(-1)).toMatchObject({ next_action: null, results: [{ outcome: 'success' }] });
    }
  });
});

/** The first line that an answer says to type, as a shell would take it apart, with its blanks filled in. */
function typed(stdout: string, blanks: Record<string, string> = {}): string[] {
  const line = /^ {2}kairos (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`nothing to type in: ${stdout}`);
  const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? (bare as string),
  );
  return words.map((word) =>
    Object.entries(blanks).reduce((text, [blank, value]) => text.replace(blank, value), word),
  );
}

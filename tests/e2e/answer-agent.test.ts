import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { overStdio, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { rightAnswer } from '../support/walker.ts';

/** A person at a terminal and an agent over MCP, on the same run. */
let home: CliHome;
let client: TestClient;
beforeEach(async () => {
  home = makeHome();
  client = await overStdio('sdk-2', home);
});
afterEach(async () => {
  await client.close();
  home.remove();
});

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } } });
const document = (cmd: string) =>
  `# Open the gates\n\nFor the tests.\n\n${[
    stepOf('Look', 'Look first.', shell('test -d .')),
    stepOf('Ask', 'Ask.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which gate?' } } }),
    stepOf('Open', 'Open it.', shell(cmd)),
    stepOf('Look back', 'Look back.', null),
  ].join('\n')}`;

async function begun() {
  writeFileSync(join(home.work, 'gates.md'), document('open-gate --fast'));
  const [minted] = (await kairosJson(home, ['mint', 'gates.md'])).objects;
  const uris = (minted as { items: { uri: string }[] }).items.map(({ uri }) => uri);
  const tools = toolsOf(client);
  const first = await tools.begin({ uri: uris[0]! });
  const run_id = first.run_id!;
  const solve = (step: number, challenge: typeof first.challenge) =>
    tools.next({
      uri: uris[step - 1]!,
      run_id,
      solution: {
        nonce: challenge!.nonce,
        proof_hash: challenge!.proof_hash,
        ...rightAnswer(challenge!, step),
      },
    });
  const asked = await solve(1, first.challenge);
  expect(asked.challenge).toMatchObject({ type: 'user_input' });
  return { tools, uris, run_id, solve, asked };
}

it('moves on by an answer from the terminal, and the agent continues from there', async () => {
  const { tools, uris, run_id, solve, asked } = await begun();
  expect((await kairosJson(home, ['runs'])).objects[0]).toMatchObject({
    runs: [{ run_id, waits_for: 'an answer' }],
  });
  expect(await kairos(home, ['answer', run_id, 'the north gate'])).toMatchObject({ code: 0 });
  // The question is answered: what the agent makes up for it proves nothing any more.
  const late = await solve(2, asked.challenge);
  expect(late.error_code).toBe('CONFLICT');
  expect(late.challenge).toMatchObject({ type: 'shell' });
  const closing = await solve(3, late.challenge);
  expect(closing.error_code ?? null).toBeNull();
  await tools.next({ uri: uris[3]!, run_id });
  const sealed = await tools.attest({
    uri: uris[3]!,
    run_id,
    outcome: 'success',
    message: 'The north gate was opened and looked at.',
  });
  expect(sealed.error_code ?? null).toBeNull();
  const { entries } = await exportedLedger(home, run_id);
  const answer = entries.find(({ kind, data }) => kind === 'proof.accepted' && data.step === 2);
  // Any program can give a text on the command line, so it is a claim.
  expect(answer?.data).toMatchObject({
    assurance: 'claimed',
    user_input: { confirmation: 'the north gate' },
  });
});

it('uses plain words for a person, and accepts the number of a choice', async () => {
  const asks = {
    proof_of_work: {
      type: 'user_input',
      user_input: { prompt: 'Approve the deletion?', choices: ['approve', 'keep'] },
    },
  };
  writeFileSync(join(home.work, 'ask.md'), `# Ask\n\n${stepOf('Ask', 'Ask.', asks)}`);
  await kairos(home, ['run', 'ask.md']);
  const shown = await kairos(home, ['answer', 'latest']);
  expect(shown.stdout).toBe('Approve the deletion?\n  1) approve\n  2) keep\n  3) (decline)\n');
  const wrong = await kairos(home, ['answer', 'latest', 'zzz']);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('The answer must be exactly one of these: approve, keep.');
  const right = await kairos(home, ['answer', 'latest', '1']);
  expect(right).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^latest is run [0-9a-f]{8}: Ask\n$/),
  });
  expect(right.stdout).toContain('The answer is recorded');
  const short = await kairos(home, ['answer', 'latest', 'short']);
  expect(short.stderr).toContain('The answer has 5 characters; at least 10 are needed.');
  for (const { stdout, stderr } of [shown, wrong, right, short])
    expect(stdout + stderr).not.toMatch(/solution\.|challenge\.|kairos_|[A-Z]+_[A-Z]+/);
  const { entries } = await exportedLedger(home, 'latest');
  expect(entries.map(({ kind }) => kind)).not.toContain('proof.rejected');
  expect(entries.find(({ kind }) => kind === 'proof.accepted')?.data).toMatchObject({
    assurance: 'claimed',
    user_input: { confirmation: 'approve' },
  });
});

it('follows a corrected document from the call after "resume --with"', async () => {
  const { run_id, solve, asked, tools, uris } = await begun();
  writeFileSync(join(home.work, 'new.md'), document('open-gate --slowly'));
  const [shown] = (await kairosJson(home, ['show', 'new.md'])).objects;
  const [{ digest }] = (shown as { chains: [{ digest: string }] }).chains;
  const rebased = await kairos(home, ['resume', run_id, '--with', 'new.md', '--trust', digest]);
  // Carried over, it asks for the answer, which is not given here.
  expect(rebased).toMatchObject({ code: 3, stdout: expect.stringContaining('Which gate?') });
  const late = await solve(2, asked.challenge);
  expect(late).toMatchObject({ error_code: 'CONFLICT', challenge: { type: 'user_input' } });
  const next = await solve(2, late.challenge);
  expect(next.challenge).toMatchObject({ type: 'shell', shell: { cmd: 'open-gate --slowly' } });
  expect((await solve(3, next.challenge)).error_code ?? null).toBeNull();
  await tools.next({ uri: uris[3]!, run_id });
  const { entries } = await exportedLedger(home, run_id);
  expect(entries.find(({ kind }) => kind === 'run.rebased')?.data).toMatchObject({ digest, carried: [1] });
});

it.each(['sdk-1', 'sdk-2'] as const)(
  'waits for a person when the client %s answers faster than a person reads',
  async (kind) => {
    await client.close();
    const forms: unknown[] = [];
    const replies = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirmation: 'approved' } },
    ];
    const elicit = (form: unknown) => {
      forms.push(form);
      return replies[forms.length - 1];
    };
    client = await overStdio(kind, home, [], { elicit, hasty: true });
    const { tools, uris, run_id, solve } = await begun();
    const ask = () => tools.next({ uri: uris[1]!, run_id, solution: { type: 'user_input' } });
    for (const asked of [await ask(), await ask(), await ask()]) {
      expect(asked).toMatchObject({
        error_code: 'ELICITATION_FAILED',
        must_obey: true,
        challenge: { type: 'user_input', nonce: expect.any(String) },
      });
      expect(asked.next_action).toContain(`kairos_next with ${uris[2]}`);
      expect(asked.message).toContain(`kairos answer ${run_id}`);
      expect(asked.message).toContain('kairos view');
    }
    expect(forms).toHaveLength(3);
    expect(forms[0]).toMatchObject({
      requestedSchema: { properties: { confirmation: { description: 'open-the-gates, step 2/4' } } },
    });
    // The agent waits; a person types the command from the message.
    const done = await kairos(home, ['answer', run_id, 'the south gate']);
    expect(done).toMatchObject({ code: 0 });
    const next = await tools.next({ uri: uris[2]!, run_id });
    // It was never shown this step, so nothing is missing.
    expect(next).toMatchObject({
      protocol_status: 'continue',
      next_action: `call kairos_next with ${uris[3]} and solution matching challenge; run_id ${run_id}`,
      challenge: { type: 'shell' },
      current_step: { content: 'Open it.' },
    });
    expect(next).not.toHaveProperty('error_code');
    expect(next).not.toHaveProperty('message');
    expect((await solve(3, next.challenge)).error_code ?? null).toBeNull();
    const { entries } = await exportedLedger(home, run_id);
    expect(JSON.stringify(entries)).not.toContain('USER_DECLINED');
    expect(
      entries.find(({ kind, data }) => kind === 'proof.accepted' && data.step === 2)?.data,
    ).toMatchObject({ assurance: 'claimed', user_input: { confirmation: 'the south gate' } });
  },
);

it('asks the user again after a refusal, by the call that the answer names', async () => {
  await client.close();
  const answers = [{ action: 'decline' }, { action: 'accept', content: { confirmation: 'approved' } }];
  client = await overStdio('sdk-2', home, [], { elicit: () => answers.shift() });
  const { tools, uris, run_id } = await begun();
  const refused = await tools.next({ uri: uris[1]!, run_id, solution: { type: 'user_input' } });
  expect(refused).toMatchObject({ error_code: 'USER_DECLINED' });
  const [, uri] =
    /call kairos_next with (kairos:\S+) and solution \{"?type"?: "user_input"\}/.exec(refused.next_action!) ??
    [];
  expect(uri, refused.next_action!).toBe(uris[2]);
  const next = await tools.next({ uri: uri!, run_id, solution: { type: 'user_input' } });
  expect(next).toMatchObject({ challenge: { type: 'shell' } });
});

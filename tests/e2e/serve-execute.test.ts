import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { overHttp, overStdio, startHttp, structured, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';
import { rightAnswer, walkLiterally } from '../support/walker.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** Stores a protocol of one command and an end. */
async function mintCommand(shell: Record<string, unknown>, title = 'One command'): Promise<void> {
  const block = { proof_of_work: { type: 'shell', shell: { timeout_seconds: 20, ...shell } } };
  const file = `${title}.md`;
  writeFileSync(
    join(home.work, file),
    `# ${title}\n\n${stepOf('Do', 'Do it.', block)}\n${stepOf('End', 'Look back.', null)}`,
  );
  expect(await kairos(home, ['mint', '--force', file], { prepares: true })).toMatchObject({ code: 0 });
}

async function trust(slug: string): Promise<void> {
  const shown = await kairosJson(home, ['trust', slug], { prepares: true });
  const digest = /[0-9a-f]{64}/.exec(shown.stdout + shown.stderr)![0];
  expect(await kairos(home, ['trust', slug, '--digest', digest], { prepares: true })).toMatchObject({
    code: 0,
  });
}

async function begin(client: TestClient, key = 'one-command'): Promise<{ uri: string; run_id: string }> {
  const begun = structured<RunFields>(await client.call('kairos_begin', { key }));
  return { uri: begun.current_step!.uri, run_id: begun.run_id! };
}

async function entries(runId: string): Promise<{ kind: string; data: Record<string, unknown> }[]> {
  const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
  return stdout
    .split('\n')
    .filter((line) => line.includes('"kind"'))
    .map((line) => JSON.parse(line));
}
/** Its first line is written in one go, but the file is there before. */
const started = () => until(() => existsSync(pidFile()) && readFileSync(pidFile(), 'utf8').endsWith('\n'));
const pidFile = () => join(home.work, 'pid');
const kinds = async (runId: string) => (await entries(runId)).map(({ kind }) => kind);

describe('serve --execute', () => {
  it.each(['sdk-1', 'sdk-2'] as const)(
    'runs the command of a trusted step: the proof is observed (%s)',
    async (kind) => {
      await mintCommand({ cmd: 'pwd > where && echo all good', stdout_matches: 'all good' });
      await trust('one-command');
      const client = await overStdio(kind, home, ['--execute']);
      const at = await begin(client);
      const done = structured<RunFields>(await client.call('kairos_next', at));
      expect(done).toMatchObject({
        protocol_status: 'completed',
        proof_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(readFileSync(join(home.work, 'where'), 'utf8')).toContain('work');
      const sealed = structured<Record<string, unknown>>(
        await client.call('kairos_attest', {
          ...at,
          outcome: 'success',
          message: 'It ran and printed what it should.',
        }),
      );
      expect(sealed).toMatchObject({ assurance: { observed: 1, claimed: 1, client: 0, attested: 0 } });
      await client.close();
      expect(await kinds(at.run_id)).toEqual([
        'run.begun',
        'step.shown',
        'step.shown',
        'command.started',
        'command.finished',
        'proof.accepted',
        'step.shown',
        'proof.accepted',
        'run.sealed',
      ]);
      expect(await kairos(home, ['verify', at.run_id])).toMatchObject({ code: 0 });
    },
  );

  const WALKED = [
    ['shell'],
    ['none', 'observed', 'comment'],
    ['observed', 'shell', 'none'],
    ['comment', 'observed', 'user_input', 'observed'],
    ['fails once', 'observed'],
  ];
  const step = (kind: string, at: number) => {
    const shell = {
      cmd: kind === 'fails once' ? 'test -e tried || { touch tried; exit 3; }' : `echo ${at} >> ran`,
      timeout_seconds: 20,
    };
    const blocks: Record<string, unknown> = {
      none: null,
      comment: { proof_of_work: { type: 'comment', comment: { min_length: 20 } } },
      user_input: { proof_of_work: { type: 'user_input', user_input: { prompt: 'Shall it go on?' } } },
      shell: { proof_of_work: { type: 'shell', shell } },
    };
    const observed = { proof_of_work: { type: 'shell', shell, assurance: 'observed' } };
    return stepOf(`Part ${at} ${kind}`, `Do part ${at}.`, kind in blocks ? blocks[kind] : observed);
  };

  it.each(['sdk-1', 'sdk-2'] as const)(
    'an agent that only follows next_action ends every run with observed proofs (%s)',
    async (kind) => {
      const client = await overStdio(kind, home, ['--execute']);
      for (const [at, kinds] of WALKED.entries()) {
        const title = `Walk number ${at}`;
        writeFileSync(join(home.work, 'walk.md'), `# ${title}\n\n${kinds.map(step).join('\n')}`);
        const minted = await kairosJson(home, ['mint', '--force', 'walk.md']);
        await trust(`walk-number-${at}`);
        const { items } = minted.objects[0] as { items: { uri: string }[] };
        const { answers } = await walkLiterally(toolsOf(client), items[0]!.uri, {
          convention: at % 2 === 0 ? 'as-told' : 'pending',
          solve: (challenge, call) => {
            if (challenge.type === 'shell') throw new Error('the server runs commands');
            return rightAnswer(challenge, call);
          },
        });
        const commands = kinds.filter((word) => !['none', 'comment', 'user_input'].includes(word)).length;
        expect({ kinds, answer: answers.at(-1) }).toMatchObject({
          kinds,
          answer: { next_action: null, protocol_status: 'completed', assurance: { observed: commands } },
        });
        expect(answers.filter(({ error_code }) => error_code != null)).toHaveLength(
          kinds.includes('fails once') ? 1 : 0,
        );
        const verified = await kairos(home, ['verify', answers.at(-1)!.run_id!]);
        expect(verified).toMatchObject({ code: 0 });
      }
      await client.close();
    },
    60_000,
  );

  it('asks the sender of a claim to let the server run it when more is required', async () => {
    writeFileSync(join(home.work, 'walk.md'), `# One command\n\n${step('observed', 1)}`);
    expect(await kairos(home, ['mint', '--force', 'walk.md'], { prepares: true })).toMatchObject({ code: 0 });
    const client = await overStdio('sdk-2', home, ['--execute']);
    const at = await begin(client);
    const claim = async () => {
      const { challenge } = structured<RunFields>(
        await client.call('kairos_begin', { uri: at.uri, resume: true }),
      );
      const { nonce, proof_hash } = challenge!;
      const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
      return structured<RunFields>(await client.call('kairos_next', { ...at, solution }));
    };
    // First a human has to trust it, by the very words of the answer.
    const untrusted = await claim();
    expect(untrusted).toMatchObject({ error_code: 'ASSURANCE_TOO_LOW', retry_count: 1 });
    const [, subject] = /by kairos trust (\S+), then/.exec(untrusted.next_action!)!;
    await trust(subject!);
    const refused = await claim();
    expect(refused).toMatchObject({
      error_code: 'ASSURANCE_TOO_LOW',
      next_action: `retry kairos_next with ${at.uri} and no solution -- this server runs the command itself; run_id ${at.run_id}`,
    });
    expect(structured(await client.call('kairos_next', at))).toMatchObject({ protocol_status: 'completed' });
    await client.close();
  });

  it('accepts the placeholder, and a failed command proves nothing', async () => {
    await mintCommand({ cmd: 'echo broken >&2; exit 4' });
    await trust('one-command');
    const client = await overStdio('sdk-2', home, ['--execute']);
    const at = await begin(client);
    const answer = await client.call('kairos_next', { ...at, solution: { type: 'shell' } });
    expect(structured(answer)).toMatchObject({ error_code: 'COMMAND_FAILED', retry_count: 1 });
    await client.close();
    const finished = (await entries(at.run_id)).find((entry) => entry.kind === 'command.finished')!;
    expect(finished.data).toMatchObject({ exit_code: 4, stderr: 'broken\n' });
  });

  it.each([
    ['is not trusted', { cmd: 'touch ran' }, false, /not trusted here/],
    ['could destroy something', { cmd: 'touch ran; rm -rf ./x' }, true, /could destroy something/],
    ['needs a terminal', { cmd: 'touch ran', interactive: true }, true, /needs a terminal/],
    [
      'has no directory',
      { cmd: 'touch ran', workdir: 'absent' },
      true,
      /directory of the step does not exist/,
    ],
  ])('leaves a command that %s to people', async (_, shell, trusted, words) => {
    await mintCommand(shell);
    if (trusted) await trust('one-command');
    const client = await overStdio('sdk-2', home, ['--execute']);
    const at = await begin(client);
    const answer = structured<RunFields>(await client.call('kairos_next', at));
    expect(answer).toMatchObject({ error_code: 'MISSING_PROOF', message: expect.stringMatching(words) });
    expect(existsSync(join(home.work, 'ran'))).toBe(false);
    expect(await kinds(at.run_id)).not.toContain('command.started');
    // What a human ran can still be handed in.
    const { nonce, proof_hash } = answer.challenge!;
    const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
    expect(structured(await client.call('kairos_next', { ...at, solution }))).toMatchObject({
      protocol_status: 'completed',
    });
    await client.close();
  });

  it('never runs anything without the flag', async () => {
    await mintCommand({ cmd: 'touch ran' });
    await trust('one-command');
    const client = await overStdio('sdk-2', home);
    const at = await begin(client);
    expect(structured(await client.call('kairos_next', at))).toMatchObject({ error_code: 'MISSING_PROOF' });
    await client.close();
    expect(existsSync(join(home.work, 'ran'))).toBe(false);
  });

  it('reports progress, and runs a command once for two calls', async () => {
    await mintCommand({ cmd: 'echo x >> count; sleep 3' });
    await trust('one-command');
    const client = await overStdio('sdk-1', home, ['--execute']);
    const at = await begin(client);
    const told: (string | undefined)[] = [];
    const first = client.call('kairos_next', at, { onprogress: ({ message }) => told.push(message) });
    await delay(1000);
    const second = await client.call('kairos_next', { ...at, solution: { type: 'shell' } });
    expect(structured(await first)).toMatchObject({ protocol_status: 'completed' });
    expect(structured(second)).toEqual(structured(await first));
    await client.close();
    expect(told).toEqual(['Step 1: the command runs.', 'Step 1: the command has run for 2 s.']);
    expect(readFileSync(join(home.work, 'count'), 'utf8')).toBe('x\n');
  });

  it('lets no call pass a running command, and reports how to wait for its end', async () => {
    await mintCommand({ cmd: 'echo $$ > pid; sleep 4' });
    await trust('one-command');
    const client = await overStdio('sdk-2', home, ['--execute']);
    const at = await begin(client);
    const shown = structured<RunFields>(await client.call('kairos_begin', { key: 'one-command' }));
    const { nonce, proof_hash } = shown.challenge!;
    const other = { uri: shown.current_step!.uri, run_id: shown.run_id! };
    const first = client.call('kairos_next', other);
    await started();
    const before = await kinds(other.run_id);
    const claim = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
    const message = 'It ran and printed what it should.';
    for (const call of [
      client.call('kairos_next', { ...other, solution: claim }),
      client.call('kairos_attest', { ...other, outcome: 'failure', message }),
      client.call('kairos_attest', { ...other, outcome: 'success', message, solution: claim }),
    ]) {
      const refused = structured<RunFields>(await call);
      expect(refused).toMatchObject({
        error_code: 'CONFLICT',
        challenge: null,
        message: expect.stringMatching(/^This server is running the command of this step\./),
        next_action: expect.stringMatching(/^call kairos_next with kairos:\S+; run_id \S+$/),
      });
      expect(refused.message).not.toContain('not known');
    }
    // Another run of the protocol is not kept waiting.
    expect(
      structured(await client.call('kairos_attest', { ...at, outcome: 'failure', message })),
    ).toMatchObject({ total_rated: 1 });
    const waited = new AbortController();
    const impatient = client.call('kairos_next', other, { signal: waited.signal }).catch((error) => error);
    await delay(200);
    waited.abort();
    expect(await impatient).toBeInstanceOf(Error);
    expect(await kinds(other.run_id)).toEqual(before);
    const done = structured<RunFields>(await first);
    expect(done).toMatchObject({ protocol_status: 'completed' });
    const sealed = await client.call('kairos_attest', { ...other, outcome: 'success', message });
    expect(structured(sealed)).toMatchObject({ assurance: { observed: 1, claimed: 1 } });
    await client.close();
  });

  it('reports how a command ended when another process sealed the run before', async () => {
    await mintCommand({ cmd: 'echo $$ > pid; until test -e go; do sleep 0.1; done; exit 3' });
    await trust('one-command');
    const [client, other] = [await overStdio('sdk-2', home, ['--execute']), await overStdio('sdk-2', home)];
    const at = await begin(client);
    const call = client.call('kairos_next', at);
    await started();
    const attest = { ...at, outcome: 'failure', message: 'It was given up half way.' };
    const sealed = structured<RunFields>(await other.call('kairos_attest', attest));
    writeFileSync(join(home.work, 'go'), '');
    const answer = structured<RunFields>(await call);
    expect(answer).toMatchObject({ error_code: 'RUN_CLOSED', next_action: null });
    expect(answer.message).toContain('has ended with exit code 3. The run had been sealed before');
    for (const { message } of [sealed, answer]) {
      expect(message).toContain('A sealed run accepts no more entries: inform the user.');
      expect(message).not.toContain('submit that');
    }
    await Promise.all([client.close(), other.close()]);
    expect((await kinds(at.run_id)).slice(-2)).toEqual(['command.started', 'run.sealed']);
    expect(await kairos(home, ['verify', at.run_id])).toMatchObject({ code: 0 });
  });

  it.runIf(SPAWNS)(
    'asks about a command that was started before a crash, in message and next_action alike',
    async () => {
      await mintCommand({ cmd: 'echo $$ > pid; sleep 30' });
      await trust('one-command');
      const server = await startHttp(home, ['--execute'], { KAIROS_TOKEN: 'a-long-enough-token-1' });
      const lone = await overHttp('sdk-2', server.url, 'a-long-enough-token-1');
      const at = await begin(lone);
      const lost = lone.call('kairos_next', at).catch((error: Error) => error);
      await started();
      server.signal('SIGKILL');
      await lost;
      await lone.close();
      process.kill(-Number(readFileSync(join(home.work, 'pid'), 'utf8')), 'SIGKILL');
      const client = await overStdio('sdk-2', home, ['--execute']);
      const asked = structured<RunFields>(await client.call('kairos_next', at));
      expect(asked).toMatchObject({
        error_code: 'MISSING_PROOF',
        message: expect.stringContaining('ask the user for its result, and submit that'),
        next_action: expect.stringMatching(
          /^ask the user for the result of the command, then retry kairos_next with \S+ -- use nonce and proof_hash from THIS response's challenge; run_id \S+$/,
        ),
      });
      const { nonce, proof_hash } = asked.challenge!;
      const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
      expect(structured(await client.call('kairos_next', { ...at, solution }))).toMatchObject({
        protocol_status: 'completed',
      });
      await client.close();
    },
  );

  it.each([
    ['sdk-1', 'while it runs'],
    ['sdk-2', 'while it runs'],
    ['sdk-1', 'after its end'],
    ['sdk-2', 'after its end'],
  ] as const)(
    'runs the command on when the call is cancelled, for the next call (%s, %s)',
    async (kind, when) => {
      await mintCommand({ cmd: 'echo $$ >> pid; while [ ! -e go ]; do sleep 0.1; done' });
      await trust('one-command');
      const client = await overStdio(kind, home, ['--execute']);
      const at = await begin(client);
      const controller = new AbortController();
      const cancelled = client
        .call('kairos_next', at, { signal: controller.signal })
        .catch((error: Error) => error);
      await started();
      controller.abort();
      expect(await cancelled).toBeInstanceOf(Error);
      const end = () => writeFileSync(join(home.work, 'go'), '');
      if (when === 'after its end') {
        end();
        await until(
          async () => (await kinds(at.run_id)).filter((kind) => kind === 'step.shown').length === 3,
        );
        // What keeps the result runs after the last write.
        await delay(200);
      }
      const next = client.call('kairos_next', at);
      if (when === 'while it runs') end();
      expect(structured<RunFields>(await next)).toMatchObject({
        protocol_status: 'completed',
        proof_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect((await kinds(at.run_id)).filter((kind) => kind === 'command.started')).toHaveLength(1);
      await client.close();
    },
  );

  it('leaves nothing running and a readable ledger when the client vanishes in the middle', async () => {
    await mintCommand({ cmd: 'echo $$ > pid; sleep 30 & wait' });
    await trust('one-command');
    const client = await overStdio('sdk-1', home, ['--execute']);
    const at = await begin(client);
    const lost = client.call('kairos_next', at).catch((error: Error) => error);
    await started();
    await client.close();
    await lost;
    const pid = Number(readFileSync(join(home.work, 'pid'), 'utf8'));
    await until(() => !isAlive(pid));
    await until(async () => (await kinds(at.run_id)).includes('command.finished'));
    expect(await kairos(home, ['verify', at.run_id])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unsealed'),
    });
  });

  it('leaves nothing running when the server is ended, also for clients that have disconnected', async () => {
    await mintCommand({ cmd: 'echo $$ > pid; sleep 30 & wait' });
    await trust('one-command');
    const token = 'a-long-enough-token-1';
    for (const kind of ['sdk-2', 'sdk-1'] as const) {
      const server = await startHttp(home, ['--execute'], { KAIROS_TOKEN: token });
      const client = await overHttp(kind, server.url, token);
      const at = await begin(client);
      const lost = client.call('kairos_next', at).catch((error: Error) => error);
      await started();
      if (kind === 'sdk-2') await client.close();
      expect(await server.stop()).toBe(0);
      await client.close();
      await lost;
      const pid = Number(readFileSync(join(home.work, 'pid'), 'utf8'));
      await until(() => !isAlive(pid));
      await until(async () => (await kinds(at.run_id)).includes('command.finished'));
      rmSync(join(home.work, 'pid'));
    }
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    if (await holds()) return;
    await delay(100);
  }
  throw new Error('waited in vain');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('serve --execute with a secret capture', () => {
  const SECRET = 'swordfish-4711-xyzzy';
  const shell = (cmd: string) => ({
    proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 }, assurance: 'observed' },
  });
  const DOCUMENT = [
    '# Use a token',
    '',
    stepOf('Fetch', 'Fetch the token.', {
      ...shell('cat token.txt && cat token.txt >&2'),
      captures: [{ name: 'TOKEN', from: 'stdout', pattern: 'token=(.+)', secret: true }],
    }),
    stepOf(
      'Use',
      'Use the token.',
      shell(
        'if ! test -e tried; then touch tried; echo "refused $TOKEN" >&2; exit 3; fi; echo "$TOKEN" | tee used.txt',
      ),
    ),
    stepOf('End', 'Look back.', null),
  ].join('\n');

  it.each(['sdk-1', 'sdk-2'] as const)(
    'gives it to later commands and shows it nowhere (%s)',
    async (kind) => {
      writeFileSync(join(home.work, 'token.txt'), `token=${SECRET}\n`);
      writeFileSync(join(home.work, 'use.md'), DOCUMENT);
      expect(await kairos(home, ['mint', 'use.md'], { prepares: true })).toMatchObject({ code: 0 });
      await trust('use-a-token');
      const client = await overStdio(kind, home, ['--execute']);
      const answers: unknown[] = [];
      const call = async (tool: string, args: Record<string, unknown>) => {
        const answer = await client.call(tool, args);
        answers.push(answer);
        return structured<RunFields>(answer);
      };
      const begun = await call('kairos_begin', { key: 'use-a-token' });
      const { run_id } = begun;
      const fetched = await call('kairos_next', { uri: begun.current_step!.uri, run_id });
      const use = { uri: fetched.current_step!.uri, run_id };
      expect(await call('kairos_next', use)).toMatchObject({ error_code: 'COMMAND_FAILED' });
      const used = await call('kairos_next', use);
      expect(used.error_code).toBeUndefined();
      expect(readFileSync(join(home.work, 'used.txt'), 'utf8')).toBe(`${SECRET}\n`);
      const end = {
        uri: begun.current_step!.uri,
        run_id,
        outcome: 'success',
        message: 'The token was of use.',
      };
      expect(await call('kairos_attest', end)).toMatchObject({ assurance: { observed: 2 } });
      await client.close();

      const proofs = (await entries(run_id!)).filter(({ kind: each }) => each === 'proof.accepted');
      expect(proofs[0]?.data).toMatchObject({ secret_captures: ['TOKEN'] });
      expect(JSON.stringify(answers)).not.toContain(SECRET);
      expect(textOf(home.data)).not.toContain(SECRET);
      const shown = (await kairos(home, ['runs', 'show', run_id!, '--full'])).stdout;
      expect(shown).not.toContain(SECRET);
      expect(shown).toContain('[redacted:TOKEN]');
      expect(await kairos(home, ['verify', run_id!])).toMatchObject({ code: 0 });
    },
  );

  it('leaves the command to a person when the server that knew it has ended', async () => {
    writeFileSync(join(home.work, 'token.txt'), `token=${SECRET}\n`);
    writeFileSync(join(home.work, 'use.md'), DOCUMENT);
    expect(await kairos(home, ['mint', 'use.md'], { prepares: true })).toMatchObject({ code: 0 });
    await trust('use-a-token');
    const first = await overStdio('sdk-2', home, ['--execute']);
    const begun = structured<RunFields>(await first.call('kairos_begin', { key: 'use-a-token' }));
    const at = { uri: begun.current_step!.uri, run_id: begun.run_id };
    const fetched = structured<RunFields>(await first.call('kairos_next', at));
    await first.close();
    const second = await overStdio('sdk-2', home, ['--execute']);
    const next = { uri: fetched.current_step!.uri, run_id: begun.run_id };
    const answer = await second.call('kairos_next', next);
    await second.close();
    expect(existsSync(join(home.work, 'used.txt'))).toBe(false);
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(structured<RunFields>(answer).next_action).toContain('kairos_next');
  });
});

/** Every file below a folder, as one text. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

describe('serve --execute with a step that calls a tool', () => {
  const FIXTURE = fileURLToPath(new URL('../host/mcp-client/fixtures/server.mjs', import.meta.url));
  const definition = () => ({ command: process.execPath, args: [FIXTURE, home.work], env: {} });
  const configure = (file: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ mcpServers: { sums: definition() } }));
  };
  const mintTool = async () => {
    const mcp = { server: 'sums', tool_name: 'sum', arguments: { a: 1, b: 2 }, expected_result: { sum: 3 } };
    const block = { proof_of_work: { type: 'mcp', mcp, assurance: 'observed' } };
    writeFileSync(join(home.work, 'tool.md'), `# One tool\n\n${stepOf('Sum', 'Add it up.', block)}`);
    expect(await kairos(home, ['mint', '--force', 'tool.md'], { prepares: true })).toMatchObject({ code: 0 });
  };

  it("calls it on the user's own server: the proof is observed", async () => {
    configure(join(home.home, '.cursor', 'mcp.json'));
    await mintTool();
    await trust('one-tool');
    const client = await overStdio('sdk-2', home, ['--execute']);
    const at = await begin(client, 'one-tool');
    const done = structured<RunFields>(await client.call('kairos_next', at));
    expect(done).toMatchObject({ protocol_status: 'completed' });
    await client.close();
    const [started, finished, proof] = (await entries(at.run_id)).filter(({ kind }) =>
      /command|proof/.test(kind),
    );
    expect(started?.data).toMatchObject({ cmd: 'sums: sum', cwd: home.work });
    expect(finished?.data).toMatchObject({ failure: null });
    expect(proof?.data).toMatchObject({ assurance: 'observed', mcp: { success: true } });
  });

  it('leaves it to the agent without trust in the protocol or in the server of a project', async () => {
    configure(join(home.work, '.mcp.json'));
    await mintTool();
    for (const isTrusted of [false, true]) {
      if (isTrusted) await trust('one-tool');
      const client = await overStdio('sdk-2', home, ['--execute']);
      const at = await begin(client, 'one-tool');
      const answer = structured<RunFields>(await client.call('kairos_next', at));
      expect(answer).toMatchObject({ error_code: 'MISSING_PROOF', challenge: { type: 'mcp' } });
      const reason = `the MCP server sums of this project is not trusted here. A human has to read and trust it (kairos resume ${at.run_id})`;
      expect(answer.message?.includes(reason)).toBe(isTrusted);
      await client.close();
      expect(existsSync(join(home.work, 'server'))).toBe(false);
    }
  });
});

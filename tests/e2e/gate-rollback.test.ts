import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainId, stepUri } from '../../src/protocol/identity.ts';
import {
  entriesOf,
  guardedDocument,
  keyOf,
  makeApprovers,
  mintTrusted,
  resumeGuarded,
  runGuarded,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { ASKED, answer, enter, openKairos, runIdIn } from '../support/kairos-terminal.ts';
import { stepOf } from '../support/protocols.ts';
import { closeTerminals } from '../support/pty.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
  writeFileSync(join(home.work, 'switch.txt'), 'off\n');
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

/** Moves the switch and then fails, until a file lets it pass. */
const MOVE = 'cp switch.txt before.txt && echo on > switch.txt && test -e allowed.txt';
const WAY_BACK = {
  strategy: 'command',
  command: 'cp before.txt switch.txt',
  verify: 'grep -q off switch.txt',
};
const failing = (rollback_semantics: object, more: object = {}) =>
  guardedDocument({ rollback_semantics, ...more }, MOVE);
const position = () => readFileSync(join(home.work, 'switch.txt'), 'utf8').trim();
const rollback = (runId: string, ...args: string[]) => kairosJson(home, ['rollback', runId, '2', ...args]);
const done = async (runId: string) =>
  (await entriesOf(home, runId)).filter(({ kind }) => kind === 'rollback.done').map(({ data }) => data);

describe('kairos rollback', () => {
  it('rolls back a failed step by the command of its template, verifies it, and the run continues', async () => {
    const { code, runId, trust, objects } = await runGuarded(
      home,
      failing({ ...WAY_BACK, deadline_ms: 600_000 }),
    );
    expect(code).toBe(1);
    expect(objects.at(-1)?.reason).toContain(`kairos rollback ${runId} 2`);
    expect(position()).toBe('on');

    const preview = await rollback(runId, '--dry-run');
    expect(preview.objects).toEqual([
      {
        run_id: runId,
        step: 2,
        strategy: 'command',
        command: {
          cmd: 'cp before.txt switch.txt',
          cwd: expect.stringMatching(/work$/),
          env: [],
          timeoutSeconds: 600,
          danger: null,
        },
        chain: null,
        verify: 'grep -q off switch.txt',
        deadline_ms: 600_000,
        failed_at: expect.any(String),
        in_doubt: false,
        under_way: false,
        trusted: false,
        gate: { decision: 'ALLOW', approval_class: 'none', approvals: { needed: 0, given: 0 }, reasons: [] },
      },
    ]);
    const before = await entriesOf(home, runId);
    expect(before.filter(({ data }) => data.rollback === true)).toEqual([]);

    const undone = await rollback(runId, '--trust', trust, '--yes');
    expect(undone).toMatchObject({ code: 0, stderr: '' });
    expect(undone.objects.at(-1)).toMatchObject({
      event: 'rolled_back',
      step: 2,
      strategy: 'command',
      succeeded: true,
      assurance: 'observed',
      observed: { exit_code: 0, timed_out: false, aborted: false },
      verify: { exit_code: 0, succeeded: true },
      deadline_ms: 600_000,
      late: false,
    });
    expect(position()).toBe('off');
    expect(
      (await entriesOf(home, runId)).slice(before.length).map(({ kind, data }) => [kind, data.verify]),
    ).toEqual([
      ['trust.given', undefined],
      ['proposal.decided', undefined],
      ['permit.consumed', undefined],
      ['command.started', undefined],
      ['command.finished', undefined],
      ['command.started', true],
      ['command.finished', true],
      ['rollback.done', { exit_code: 0, succeeded: true }],
    ]);
    expect((await rollback(runId, '--yes')).code).toBe(2);
    const overview = await kairos(home, ['runs', 'show', runId]);
    expect(overview.stdout).toMatch(/2 +Move +failed .*rolled back by command, verified/);
    const shown = await kairos(home, ['runs', 'show', runId, '--entries']);
    expect(shown.stdout).toContain('step 2 "Move" rolled back by command [observed]');
    expect(shown.stdout).not.toMatch(/"proposal_hash"|Unknown outcome/);

    writeFileSync(join(home.work, 'allowed.txt'), '');
    expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });

  it('ends with its questions without a prompt, and names how to answer them', async () => {
    const { runId, trust } = await runGuarded(home, failing(WAY_BACK));
    for (const more of [[], ['--trust', trust]]) {
      const ended = await kairos(home, ['rollback', runId, '2', '--no-input', ...more]);
      expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('--yes') });
      expect(ended.stderr).not.toContain('--answers');
    }
    expect((await kairos(home, ['rollback', runId, '2', '--no-input', '--trust', trust, '--yes'])).code).toBe(
      0,
    );
    expect(position()).toBe('off');
  });

  it('asks again for the secrets that the commands of the run get, because their values are on no record', async () => {
    const inputs = '---\ninputs:\n  TOKEN: { description: Token of the switch, secret: true }\n---\n';
    const way = { strategy: 'command', command: 'test -n "$TOKEN" && cp before.txt switch.txt' };
    const { path, digest } = await protocolFile(
      home,
      inputs + failing({ ...way, verify: 'test -n "$TOKEN"' }),
    );
    const answers = answersFile(home, { '2.proposal': '{}', closing: 'It was moved and moved back.' });
    const secret = ['--input', 'TOKEN=open sesame'];
    const walk = ['--trust', digest, '--answers', answers];
    const { objects } = await kairosJson(home, ['run', path, ...secret, ...walk]);
    const runId = String(objects.find(({ event }) => event === 'begun')?.run_id);
    const without = await rollback(runId, '--yes', '--trust', digest, '--no-input');
    expect(without).toMatchObject({
      code: 3,
      objects: [{ event: 'questions', questions: [{ id: 'input.TOKEN' }] }, { event: 'stopped' }],
    });
    expect((await entriesOf(home, runId)).some(({ data }) => data.rollback === true)).toBe(false);
    const given = await rollback(runId, '--yes', '--trust', digest, '--no-input', ...secret);
    expect(given.objects.at(-1)).toMatchObject({ succeeded: true, verify: { succeeded: true } });
    expect(given.code).toBe(0);
    expect(position()).toBe('off');
    expect(JSON.stringify(await entriesOf(home, runId))).not.toContain('open sesame');
  });

  it('keeps the permit of a manual rollback that cannot ask', async () => {
    const { runId, trust } = await runGuarded(home, failing({ strategy: 'manual', verify: WAY_BACK.verify }));
    const kinds = async () =>
      (await entriesOf(home, runId)).map(({ kind }) => kind).filter((kind) => kind !== 'trust.given');
    const before = await kinds();
    for (const more of [[], ['--yes']]) {
      const ended = await kairos(home, ['rollback', runId, '2', '--no-input', '--trust', trust, ...more]);
      expect(ended.code).toBe(3);
      expect(await kinds()).toEqual(before);
    }
  });

  it('reports when the command or its check fails; the rollback can be repeated', async () => {
    const cases = [
      [{ ...WAY_BACK, command: 'test -e way-back.txt' }, { exit_code: 1 }, null],
      [{ ...WAY_BACK, command: 'test -e before.txt' }, { exit_code: 0 }, { exit_code: 1, succeeded: false }],
    ] as const;
    for (const [way, observed, verify] of cases) {
      const { runId, trust } = await runGuarded(home, failing(way));
      const failed = await rollback(runId, '--trust', trust, '--yes');
      expect(failed.code).toBe(1);
      expect(failed.objects.at(-1)).toMatchObject({
        event: 'rolled_back',
        succeeded: false,
        observed,
        verify,
      });
      expect((await rollback(runId, '--trust', trust, '--yes')).code).toBe(1);
      expect(await done(runId)).toHaveLength(2);
    }
  });

  it('runs nothing without trust, and a dangerous command only after its phrase', async () => {
    const { runId, trust } = await runGuarded(
      home,
      failing({ strategy: 'command', command: 'rm -r switch.txt' }),
    );
    const untrusted = await rollback(runId, '--yes');
    expect(untrusted.code).toBe(3);
    expect(untrusted.objects[0]).toMatchObject({ event: 'questions', questions: [{ id: 'trust' }] });
    const unsaid = await rollback(runId, '--yes', '--trust', trust);
    expect(unsaid.code).toBe(3);
    expect(unsaid.objects.find(({ event }) => event === 'questions')).toMatchObject({
      questions: [{ id: '2.phrase', phrase: 'run it' }],
    });
    expect((await entriesOf(home, runId)).some(({ data }) => data.rollback === true)).toBe(false);
    expect(existsSync(join(home.work, 'switch.txt'))).toBe(true);
  });

  it('uses the gate: on hold until others approve it, denied for actors without permission', async () => {
    const approvers = makeApprovers(home, ['mira', 'noor']);
    const adopt = ['--policy', join(home.config, 'kairos.policy.yaml')];
    const rule = { match: { action_types: ['write'] } };
    writePolicy(home, { approvers, rules: [rule] });
    const { runId, trust } = await runGuarded(home, failing(WAY_BACK));
    writePolicy(home, { approvers, rules: [{ ...rule, actors: ['somebody-else'] }] });
    const denied = await rollback(runId, '--trust', trust, '--yes', ...adopt);
    expect(denied.code).toBe(1);
    expect(JSON.stringify(denied.objects)).toContain('K-PROP-132');

    writePolicy(home, { approvers, rules: [{ ...rule, approval_class: 'dual' }] });
    const held = await rollback(runId, '--trust', trust, '--yes', ...adopt);
    expect(held.code).toBe(3);
    const command = /kairos (proposal approve \S+ \S+);/
      .exec(String(held.objects.at(-1)?.reason))![1]!
      .split(' ');
    for (const name of ['mira', 'noor']) {
      expect(position()).toBe('on');
      expect((await rollback(runId, '--trust', trust, '--yes', ...adopt)).code).toBe(3);
      const approved = await kairos(home, [...command, '--key', keyOf(home, name)]);
      expect(approved).toMatchObject({ code: 0 });
      // The last approval leads back to the rollback.
      if (name === 'noor') expect(approved.stdout).toMatch(new RegExp(`next +kairos rollback ${runId} 2`));
    }
    expect((await rollback(runId, '--trust', trust, '--yes', ...adopt)).code).toBe(0);
    expect(position()).toBe('off');
  });

  it.runIf(SPAWNS)("by hand is a person's account, a claim when piped, observed when verified", async () => {
    const { runId, trust } = await runGuarded(home, failing({ strategy: 'manual', verify: WAY_BACK.verify }));
    writeFileSync(join(home.work, 'switch.txt'), 'off\n');
    const terminal = openKairos(home, ['rollback', runId, '2', '--trust', trust]);
    await answer(terminal, 'Roll this step back by hand now?', 'y');
    await answer(terminal, 'Is it rolled back?', 'y');
    await answer(terminal, 'How was it rolled back?', 'Put it back with a pencil.');
    expect((await terminal.exit).exitCode).toBe(0);
    expect(await done(runId)).toMatchObject([
      { succeeded: true, assurance: 'observed', observed: { account: 'Put it back with a pencil.' } },
    ]);
  });

  it('by a chain is a separate run with separate trust, and can be resumed', async () => {
    const back = `# Put the switch back\n\n${stepOf('Put', 'Put it back.', {
      proof_of_work: { type: 'shell', shell: { cmd: 'cp before.txt switch.txt', timeout_seconds: 20 } },
    })}`;
    const chain_uri = stepUri(chainId('default', 'put-the-switch-back'), 1);
    const { runId } = await runGuarded(home, failing({ strategy: 'chain', chain_uri }));
    const absent = await rollback(runId, '--yes');
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT_FOUND') });

    writeFileSync(join(home.work, 'back.md'), back);
    expect((await kairos(home, ['mint', 'back.md'], { prepares: true })).code).toBe(0);
    const untrusted = await rollback(runId, '--yes');
    expect(untrusted.code).toBe(3);
    expect((await entriesOf(home, runId)).some(({ data }) => data.rollback === true)).toBe(false);
    await mintTrusted(home, back, 'put-the-switch-back');

    // Nobody answers for the closing comment of the other run: it stays open, and so does the rollback.
    const open = await rollback(runId, '--yes', '--no-input');
    expect(open.code).toBe(3);
    const chainRun = String(
      (await entriesOf(home, runId)).findLast(({ kind }) => kind === 'permit.consumed')?.data.chain_run_id,
    );
    expect((await kairosJson(home, ['runs', 'show', runId])).objects[0]).toMatchObject({
      rollback_in_doubt: { step: 2, chain_run_id: chainRun },
    });
    const answers = join(home.work, 'back-answers.yaml');
    writeFileSync(
      answers,
      JSON.stringify({ answers: { closing: 'Put the switch back where it was before.' } }),
    );
    const resumed = await kairosJson(home, ['resume', chainRun, '--answers', answers]);
    expect(resumed.objects.at(-1)).toMatchObject({ event: 'sealed', outcome: 'success' });
    const recorded = await rollback(runId, '--yes');
    expect(recorded.code).toBe(0);
    expect(recorded.objects.at(-1)).toMatchObject({
      event: 'rolled_back',
      strategy: 'chain',
      succeeded: true,
      assurance: 'claimed',
      observed: {
        chain_run_id: chainRun,
        outcome: 'success',
        ledger_head: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(position()).toBe('off');
    expect((await kairosJson(home, ['runs'])).objects[0]).toMatchObject({
      runs: [{ run_id: chainRun }, { run_id: runId }],
    });
  });

  it('is refused once the run is sealed, and when there is nothing to roll back', async () => {
    const { runId, trust } = await runGuarded(home, failing(WAY_BACK));
    expect((await kairosJson(home, ['rollback', runId, '1'])).code).toBe(2);
    expect((await kairosJson(home, ['rollback', runId, 'two'])).code).toBe(2);
    const uri = String(
      ((await kairosJson(home, ['runs', 'show', runId])).objects[0] as { run: { uri: string } }).run.uri,
    );
    await kairos(home, ['attest', uri, 'failure', 'It did not work and was left as it is.', '--run', runId], {
      prepares: true,
    });
    const sealed = await kairos(home, ['rollback', runId, '2', '--trust', trust, '--yes']);
    expect(sealed).toMatchObject({ code: 2, stderr: expect.stringContaining('its run is sealed') });
    expect(position()).toBe('on');
  });
});

describe.runIf(SPAWNS && process.platform !== 'win32')('kairos run on a terminal', () => {
  it('leads through the proposal, offers the rollback when the step fails, and through it again to the end', async () => {
    writeFileSync(join(home.work, 'protocol.md'), failing(WAY_BACK));
    const terminal = openKairos(home, ['run', './protocol.md'], { env: { TERM: 'dumb' } });
    await answer(terminal, ASKED.trust, 'yes');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('2/3  Move');
    await terminal.waitFor('This step is consequential.');
    enter(terminal, '{}');
    await answer(terminal, ASKED.run, 'r');
    await answer(terminal, ASKED.failed, 'u');
    await answer(terminal, 'Run this rollback?', 'y');
    await terminal.waitFor('step 2 rolled back (observed), verified');
    expect(position()).toBe('off');
    writeFileSync(join(home.work, 'allowed.txt'), '');
    await terminal.waitFor('This step is consequential.');
    enter(terminal, '{}');
    await answer(terminal, ASKED.run, 'r');
    await answer(terminal, ASKED.closing, 'The switch was moved at the second try.');
    expect((await terminal.exit).exitCode).toBe(0);
  });

  it('offers the rollback after more was affected than permitted, and again when it is not verified', async () => {
    const cmd = `cp switch.txt before.txt && echo on > switch.txt && echo '{"affected_records": 7}'`;
    const risk = { max_affected_records: 3 };
    const way = { ...WAY_BACK, verify: 'test -e seen.txt || { touch seen.txt; false; }' };
    writeFileSync(
      join(home.work, 'protocol.md'),
      guardedDocument({ rollback_semantics: way, risk_envelope: risk }, cmd),
    );
    const terminal = openKairos(home, ['run', './protocol.md'], { env: { TERM: 'dumb' } });
    await answer(terminal, ASKED.trust, 'yes');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('This step is consequential.');
    enter(terminal, '{}');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('at most 3 records and has affected 7');
    await answer(terminal, ASKED.failed, 'u');
    await answer(terminal, 'Run this rollback?', 'y');
    await terminal.waitFor('not rolled back, and the verification failed');
    await answer(terminal, ASKED.failed, 'u');
    await answer(terminal, 'Run this rollback?', 'y');
    await terminal.waitFor('step 2 rolled back (observed), verified');
    await terminal.waitFor('switch main');
    expect(position()).toBe('off');
    await terminal.waitFor('This step is consequential.');
    terminal.send('\x03');
    await answer(terminal, ASKED.interrupted, 'a');
    expect((await terminal.exit).exitCode).toBe(4);
    const runId = runIdIn(terminal.screen());
    expect((await done(runId)).map(({ succeeded, restored }) => [succeeded, restored])).toEqual([
      [false, expect.anything()],
      [true, { target: expect.objectContaining({ resource_id: 'main' }), by: WAY_BACK.command }],
    ]);
  });
});

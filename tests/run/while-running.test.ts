import { beforeEach, describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { next, record } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import { resumeRun } from '../../src/operations/resume.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { shellOk, startWalk, type Walk } from '../support/walk.ts';

let ctx: TestContext;
/** The same program, while it runs the command of this station. */
let busy: (station: number) => TestContext;
let walk: Walk;
beforeEach(async () => {
  ctx = await makeContext({ caller: { interface: 'mcp', session: 's1' } });
  walk = await startWalk(ctx, protocolOf(['shell', 'comment'], 'Two parts'));
  busy = (station) => ({ ...ctx, running: (runId) => (runId === walk.runId ? station : null) });
});

const RUNNING = {
  error_code: 'CONFLICT',
  protocol_status: 'blocked',
  challenge: null,
  message: expect.stringMatching(/^This server is running the command of this step/),
};

describe('while the command of the pending step is run', () => {
  it('nothing goes past it and nothing is written', async () => {
    await record(ctx, walk.runId, 'command.started', { step: 1, attempt: 'x', cmd: 'true' });
    const before = await walk.kinds();
    const call = { uri: walk.uris[0]!, run_id: walk.runId };
    const message = 'All of it went as it should and was looked at.';
    const answers = [
      await walk.solve(1, walk.begun.challenge, shellOk, busy(0)),
      await next(busy(0), call),
      await propose(busy(0), call),
      await attest(busy(0), { ...call, outcome: 'failure', message }),
      await attest(busy(0), { ...call, outcome: 'success', message }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(RUNNING);
      expect(answer.message).not.toContain('not known');
      expect(answer.next_action).toBe(`call kairos_next with ${walk.uris[1]}; run_id ${walk.runId}`);
    }
    expect(await walk.kinds()).toEqual(before);
  });

  it('a resuming caller is informed that it runs', async () => {
    const resumed = await resumeRun(busy(0), walk.runId);
    expect(resumed).toMatchObject({ message: expect.stringContaining('This server is running the command') });
    expect(resumed.next_action).toBe(`call kairos_next with ${walk.uris[1]}; run_id ${walk.runId}`);
  });

  it('of an earlier step, no call waits', async () => {
    expect((await walk.solve(1, walk.begun.challenge, shellOk, busy(7))).error_code).toBeUndefined();
  });
});

it('a command with an unknown end is asked about in message and next_action, and can then be reported', async () => {
  await record(ctx, walk.runId, 'command.started', { step: 1, attempt: 'x', cmd: 'true' });
  const asked = await walk.show(1);
  expect(asked).toMatchObject({
    error_code: 'MISSING_PROOF',
    message: expect.stringContaining('ask the user for its result, and submit that'),
    next_action: `ask the user for the result of the command, then retry kairos_next with ${walk.uris[1]} -- use nonce and proof_hash from THIS response's challenge; run_id ${walk.runId}`,
  });
  const told = await walk.solve(1, asked.challenge, shellOk);
  expect(told.error_code).toBeUndefined();
  expect(told.next_action).toMatch(/^call kairos_next with /);
});

it('a command whose end a sealed run does not know is reported to the user: no solution is accepted any more', async () => {
  await record(ctx, walk.runId, 'command.started', { step: 1, attempt: 'x', cmd: 'true' });
  const call = { uri: walk.uris[0]!, run_id: walk.runId };
  const sealed = await attest(ctx, { ...call, outcome: 'failure', message: 'It was given up half way.' });
  const late = await walk.solve(1, walk.begun.challenge, shellOk);
  for (const { message } of [sealed, late]) {
    expect(message).toContain(
      'its end is not on record. A sealed run accepts no more entries: inform the user.',
    );
    expect(message).not.toContain('submit that');
  }
  expect(late).toMatchObject({ error_code: 'RUN_CLOSED', next_action: null });
  expect(await record(ctx, walk.runId, 'command.finished', { step: 1, attempt: 'x' })).toBe(false);
});

it('an observed end is on record although another session has proven the step first', async () => {
  await record(ctx, walk.runId, 'command.started', { step: 1, attempt: 'x', cmd: 'true' });
  const shown = await walk.show(1);
  await walk.solve(1, walk.begun.challenge, shellOk);
  const { nonce, proof_hash } = shown.challenge!;
  const finished = { step: 1, attempt: 'x', exit_code: 7 };
  const late = await next(
    ctx,
    {
      uri: walk.uris[0]!,
      run_id: walk.runId,
      solution: { type: 'shell', nonce, proof_hash, shell: { exit_code: 7 } },
    },
    { assurance: 'observed', prelude: [{ kind: 'command.finished', data: finished }] },
  );
  expect(late.error_code).toBe('CONFLICT');
  expect((await walk.kinds()).slice(-3)).toEqual(['step.shown', 'command.finished', 'step.shown']);
});

import { describe, expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { approvable, giveApproval, requireAnswerable, statementFor } from '../../src/operations/approve.ts';
import { record } from '../../src/operations/next.ts';
import { beginRollback, endRollback, planRollback } from '../../src/operations/rollback.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { as } from '../support/context.ts';
import { shellBad, shellOk } from '../support/walk.ts';
import { policyOf } from './support/case.ts';
import { GUARDED_CMD, type GuardedWalk, TEMPLATE, walkToGuard } from './support/walk.ts';

const RESTORE = 'crm-restore 12345';
const rollback = (more: object = {}) => ({
  rollback_semantics: { strategy: 'command', command: RESTORE, ...more },
});

/** A run whose gated step was permitted, and failed. */
async function failed(options: Parameters<typeof walkToGuard>[0] = {}, parameters: object = {}) {
  const walk = await walkToGuard({ template: rollback(), ...options });
  await walk.propose({ ...walk.shown.challenge!.proposal_draft, parameters });
  const opened = await walk.consume();
  const answer = await walk.solve(2, opened.challenge, shellBad);
  return { ...walk, opened, answer };
}

const ENDED = { assurance: 'observed', observed: { exit_code: 0 }, verify: null } as const;

async function undo(walk: GuardedWalk, succeeded = true) {
  const plan = await planRollback(walk.ctx, walk.runId, 2);
  const { order } = await beginRollback(walk.ctx, plan, false);
  return endRollback(walk.ctx, walk.runId, { ...ENDED, permitId: order!.permitId, succeeded });
}

const refused = (walk: GuardedWalk, reason: string, step = 2) =>
  expect(planRollback(walk.ctx, walk.runId, step)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(reason),
  });

describe('a rollback', () => {
  it('is offered when the step has failed, in fixed words that name its command line', async () => {
    const { answer, runId, uris } = await failed();
    expect(answer).toMatchObject({
      error_code: 'COMMAND_FAILED',
      next_action: `call kairos_propose with ${uris[1]} and proposal completing challenge.proposal_draft; run_id ${runId}`,
    });
    expect(answer.message).toContain(
      `What step 2 may have done can be rolled back. The user decides, and can do that with: kairos rollback ${runId} 2`,
    );
    expect(answer.message).not.toContain(RESTORE);
  });

  it('is judged as a proposal that kairos makes, bound to the used one, and runs the command of the template', async () => {
    const walk = await failed(
      { proof: { shell: { cmd: GUARDED_CMD, timeout_seconds: 120, env: ['CRM_URL'] } } },
      { note: 'x' },
    );
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    expect(plan.answer).toMatchObject({ decision: 'ALLOW', reasons: [], approval_class: 'none' });
    const { answer, order } = await beginRollback(walk.ctx, plan, false);
    expect(order).toMatchObject({
      permitId: answer.permit!.permit_id,
      demand: {
        type: 'shell',
        shell: { cmd: RESTORE, timeout_seconds: 120, expect_exit_code: 0, env: ['CRM_URL'] },
      },
      environment: { KAIROS_PARAM_NOTE: 'x' },
      chainRunId: null,
    });
    const entries = await walk.ctx.store.readEntries(walk.runId);
    const [decided, consumed] = entries.slice(-2);
    const used = entries.find(({ kind }) => kind === 'permit.consumed')!.data;
    expect([decided!.kind, consumed!.kind]).toEqual(['proposal.decided', 'permit.consumed']);
    expect(decided!.data).toMatchObject({ decision: 'ALLOW', rollback: true, step: 2 });
    expect(JSON.parse(String(decided!.data.proposal_json))).toEqual({
      proposal_id: expect.any(String),
      ts_ms: walk.ctx.clock(),
      actor: 'ada',
      action_type: 'write',
      target: TEMPLATE.target,
      parameters: { note: 'x' },
      rollback_semantics: { strategy: 'command', command: RESTORE },
      approval_class: 'none',
      evidence_bindings: [{ evidence_id: 'undone', ref: used.proposal_hash }],
    });
    expect(consumed!.data).toMatchObject({
      rollback: true,
      undoes: used.proposal_hash,
      env: ['KAIROS_PARAM_NOTE'],
    });
    expect(consumed!.data.permit_id).not.toBe(used.permit_id);
  });

  it.each([
    [59_999, false],
    [60_000, false],
    [60_001, true],
  ])('is recorded %i ms after the failure: late is %s', async (after, late) => {
    const walk = await failed({ template: rollback({ deadline_ms: 60_000 }) });
    walk.ctx.clock.advance(after);
    expect(await undo(walk)).toEqual({
      step: 2,
      permit_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      proposal_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      undoes: expect.stringMatching(/^[0-9a-f]{64}$/),
      restored: { target: TEMPLATE.target, by: 'crm-restore 12345' },
      strategy: 'command',
      succeeded: true,
      assurance: 'observed',
      observed: { exit_code: 0 },
      verify: null,
      deadline_ms: 60_000,
      after_ms: after,
      late,
      by: 'ada',
    });
  });

  it('leaves the step ready for a new proposal, and the run with an intact record', async () => {
    const walk = await failed();
    await undo(walk);
    await refused(walk, 'rolled back already');
    const shown = await walk.consume();
    expect(shown).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', challenge: { type: 'proposal' } });
    expect(shown.message).not.toContain('kairos rollback');
    await walk.propose(shown.challenge!.proposal_draft);
    const again = await walk.consume();
    expect((await walk.solve(2, again.challenge, shellOk)).protocol_status).toBe('completed');
    await refused(walk, 'it is proven');
    await walk.attest();
    const { store } = walk.ctx;
    const verified = verifyEntries(await store.readEntries(walk.runId), await store.readSeal(walk.runId), {
      runId: walk.runId,
      expectSealed: true,
    });
    expect(verified).toMatchObject({ status: 'whole' });
  });

  it('can be repeated after it failed, and after the next failure of the step', async () => {
    const walk = await failed();
    expect(await undo(walk, false)).toMatchObject({ succeeded: false });
    expect(await undo(walk)).toMatchObject({ succeeded: true });
    const shown = await walk.consume();
    await walk.propose(shown.challenge!.proposal_draft);
    const again = await walk.consume();
    await walk.solve(2, again.challenge, shellBad);
    expect(await undo(walk)).toMatchObject({ succeeded: true });
  });

  it('of a permit with an unknown outcome ends that permit', async () => {
    const walk = await walkToGuard({ template: rollback() });
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const opened = await walk.consume();
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    expect(plan.candidate.inDoubt).toBe(true);
    const { order } = await beginRollback(walk.ctx, plan, false);
    expect((await walk.solve(2, opened.challenge, shellOk)).error_code).toBe('PROPOSAL_REQUIRED');
    await endRollback(walk.ctx, walk.runId, { ...ENDED, permitId: order!.permitId, succeeded: true });
    expect((await walk.solve(2, opened.challenge, shellOk)).error_code).toBe('PROPOSAL_REQUIRED');
  });

  it('settles the doubt about a command that was started, once it has worked', async () => {
    const walk = await walkToGuard({ template: rollback() });
    await walk.propose(walk.shown.challenge!.proposal_draft);
    await walk.consume();
    await record(walk.ctx, walk.runId, 'command.started', {
      step: 2,
      attempt: 'a',
      cmd: GUARDED_CMD,
      cwd: '/',
      env: [],
      timeout_seconds: 1,
    });
    const doubt = async () => (await loadRun(walk.ctx, walk.runId))!.state.inDoubt;
    expect(await doubt()).toMatchObject({ step: 2, cmd: GUARDED_CMD });
    await undo(walk, false);
    expect(await doubt()).not.toBeNull();
    await undo(walk);
    expect(await doubt()).toBeNull();
  });

  it('that was begun and has no recorded end has an unknown outcome: not begun again without a question, nothing permitted', async () => {
    const walk = await failed();
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    const first = await beginRollback(walk.ctx, plan, false);
    await expect(beginRollback(walk.ctx, plan, false)).rejects.toMatchObject({
      message: expect.stringContaining('its end is not known'),
    });
    await walk.propose(walk.answer.challenge!.proposal_draft);
    const held = await walk.consume();
    expect(held).toMatchObject({ error_code: 'PROPOSAL_ON_HOLD', challenge: { type: 'proposal' } });
    expect(held.message).toContain('A rollback of this step was begun');
    const second = await beginRollback(walk.ctx, plan, true);
    expect(second.order!.permitId).not.toBe(first.order!.permitId);
    // The one that was given up can no longer be recorded.
    await expect(
      endRollback(walk.ctx, walk.runId, { ...ENDED, permitId: first.order!.permitId, succeeded: true }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await endRollback(walk.ctx, walk.runId, { ...ENDED, permitId: second.order!.permitId, succeeded: true });
    expect((await walk.consume()).challenge?.type).toBe('shell');
  });

  it('of 20 parallel attempts is begun by exactly one', async () => {
    const walk = await failed();
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => beginRollback(walk.ctx, plan, false)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }, 30_000);

  it('that was not done is reported when the run is sealed: then it is too late', async () => {
    const late = 'What step 2 may have done was not rolled back, and a sealed run accepts no rollback.';
    const walk = await failed();
    const sealed = await walk.attest({ outcome: 'failure' });
    expect(sealed.message).toContain(`Run sealed with outcome failure. ${late}`);
    expect(sealed.message).not.toContain('kairos rollback');

    const doubtful = await walkToGuard({ template: rollback() });
    await doubtful.propose(doubtful.shown.challenge!.proposal_draft);
    await doubtful.consume();
    expect((await doubtful.attest({ outcome: 'failure' })).message).toContain(late);

    const done = await failed();
    await undo(done);
    expect((await done.attest({ outcome: 'failure' })).message).not.toContain('undone');
    const never = await walkToGuard({ template: rollback() });
    expect((await never.attest({ outcome: 'failure' })).message).not.toContain('undone');
  });

  it('of a step whose proof was optional is offered until the run is attested', async () => {
    const optional = { shell: { cmd: GUARDED_CMD, timeout_seconds: 120 }, required: false };
    const walk = await failed({ proof: optional });
    const offer = `What step 2 may have done can be rolled back. The user decides, and can do that with: kairos rollback ${walk.runId} 2`;
    expect(walk.answer).toMatchObject({ protocol_status: 'completed' });
    expect(walk.answer.message).toContain(`Call kairos_attest to finalize. ${offer}`);
    await undo(walk);
    expect((await walk.show(3)).message).not.toContain(offer);
    expect((await walk.attest()).message).not.toContain('undone');
  });

  it('is refused without anything to roll back, without a way to do it, or after the seal', async () => {
    const fresh = await walkToGuard({ template: rollback() });
    await refused(fresh, 'never permitted');
    await refused(fresh, 'no proposal guards it', 1);
    await refused(fresh, 'no proposal guards it', 9);
    const without = await failed({
      template: { rollback_semantics: { strategy: 'none' }, risk_envelope: undefined },
    });
    expect(without.answer.message).not.toContain('kairos rollback');
    await refused(without, 'names no rollback');
    const sealed = await failed();
    await sealed.attest({ outcome: 'failure' });
    await refused(sealed, 'its run is sealed');
  });
});

describe('the gate, asked for a rollback', () => {
  const dual = { version: 1, rules: [{ match: { action_types: ['write'] } }] };

  it('keeps it on hold until others approve, where the policy wants that of the action; asking again is the same proposal', async () => {
    const walk = await failed({ policy: dual });
    const stricter = {
      ...dual,
      rules: [{ match: {}, approval_class: 'single' }],
      approvers: [{ name: 'bob', actors: ['bob'], keys: [] }],
      approvals: { terminal: true },
    };
    const loaded = policyOf(stricter);
    walk.ctx.policy = async () => loaded;
    walk.ctx.adoptsPolicy = true;
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    const { answer, order } = await beginRollback(walk.ctx, plan, false);
    expect({ answer, order }).toMatchObject({
      answer: { decision: 'HOLD', approvals: { needed: 1, given: 0 } },
      order: null,
    });
    const { answer: second } = await beginRollback(walk.ctx, plan, false);
    expect(second.proposal_hash).toBe(answer.proposal_hash);

    const bob = as(walk.ctx, { actor: 'bob' });
    const subject = await approvable(bob, walk.runId, answer.proposal_hash!.slice(0, 12));
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    await giveApproval(bob, subject, statementText(statement), null);
    const allowed = await beginRollback(walk.ctx, plan, false);
    expect(allowed.answer).toMatchObject({ decision: 'ALLOW', proposal_hash: answer.proposal_hash });
    expect(allowed.order).not.toBeNull();
    expect((await walk.kinds()).filter((kind) => kind === 'proposal.decided')).toHaveLength(3);
    const used = await approvable(bob, walk.runId, answer.proposal_hash!);
    await expect(requireAnswerable(bob, used, 'deny')).rejects.toMatchObject({
      message: expect.stringContaining('its permit has been used'),
    });
  });

  it('with nothing left to roll back accepts no more answers', async () => {
    const rules = [{ match: {} }, { match: {}, actors: ['ada'], approval_class: 'single' }];
    const people = { approvers: [{ name: 'bob', actors: ['bob'], keys: [] }], approvals: { terminal: true } };
    const walk = await failed();
    const [open, strict] = [rules.slice(0, 1), rules].map((some) =>
      policyOf({ version: 1, rules: some, ...people }),
    );
    walk.ctx.policy = async () => strict!;
    walk.ctx.adoptsPolicy = true;
    const { answer } = await beginRollback(walk.ctx, await planRollback(walk.ctx, walk.runId, 2), false);
    expect(answer).toMatchObject({ decision: 'HOLD' });
    walk.ctx.policy = async () => open!;
    walk.ctx.adoptsPolicy = true;
    await undo({ ...walk, ctx: as(walk.ctx, { actor: 'eve' }) });
    const bob = as(walk.ctx, { actor: 'bob' });
    const subject = await approvable(bob, walk.runId, answer.proposal_hash!);
    for (const decision of ['approve', 'deny'] as const)
      await expect(requireAnswerable(bob, subject, decision)).rejects.toMatchObject({
        message: expect.stringContaining('the run is past it'),
      });
  });

  it('denies it to an actor that the policy excludes', async () => {
    const walk = await failed({ policy: { version: 1, rules: [{ match: {}, actors: ['ada'] }] } });
    const eve = as(walk.ctx, { actor: 'eve' });
    const plan = await planRollback(eve, walk.runId, 2);
    const { answer, order } = await beginRollback(eve, plan, false);
    expect(order).toBeNull();
    expect(answer.reasons.map(({ code }) => code)).toEqual(['K-PROP-132']);
    const { state } = (await loadRun(walk.ctx, walk.runId))!;
    expect(state.gate.openRollback).toBeNull();
  });

  it('accepts no class lower than the one that the step was proposed with', async () => {
    const people = { approvers: [{ name: 'bob', actors: ['bob'], keys: [] }], approvals: { terminal: true } };
    const walk = await walkToGuard({
      template: rollback(),
      policy: { version: 1, rules: [{ match: {} }], ...people },
    });
    const draft = { ...walk.shown.challenge!.proposal_draft, approval_class: 'single' };
    expect((await walk.propose(draft)).decision).toBe('HOLD');
    const bob = as(walk.ctx, { actor: 'bob' });
    const subject = await approvable(bob, walk.runId);
    await giveApproval(
      bob,
      subject,
      statementText(statementFor(subject, 'bob', 'approve', walk.ctx.clock())),
      null,
    );
    await walk.propose();
    const opened = await walk.consume();
    await walk.solve(2, opened.challenge, shellBad);
    const plan = await planRollback(walk.ctx, walk.runId, 2);
    expect(plan.answer).toMatchObject({ decision: 'HOLD', approval_class: 'single' });
  });
});

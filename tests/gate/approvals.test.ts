import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { signStatement } from '../../src/gate/ssh/sign.ts';
import {
  approvable,
  approverByAccount,
  approverByKey,
  giveApproval,
  statementFor,
} from '../../src/run/service/approve.ts';
import { as } from '../support/context.ts';
import { shellOk } from '../support/walk.ts';
import { GUARDED_CMD, type GuardedWalk, walkToGuard } from './support/walk.ts';

const PEOPLE = ['bob', 'cyd', 'dan'];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-approvals-'));
  for (const name of [...PEOPLE, 'ada']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const publicKey = (name: string) => readFileSync(join(folder, `${name}.pub`), 'utf8').trim();
const policy = (rule: object, approvals: object = {}) => ({
  version: 1,
  approvers: ['ada', ...PEOPLE].map((name) => ({ name, actors: [name], keys: [{ key: publicKey(name) }] })),
  approvals,
  rules: [{ match: { action_types: ['write'] }, ...rule }],
});

/** A run whose proposal is on hold. */
async function held(rule: object, approvals: object = {}): Promise<GuardedWalk> {
  const walk = await walkToGuard({ policy: policy(rule, approvals) });
  const answer = await walk.propose(walk.shown.challenge!.proposal_draft);
  expect(answer).toMatchObject({
    decision: 'HOLD',
    error_code: 'PROPOSAL_ON_HOLD',
    next_action: `ask the user for approval, then call kairos_propose with ${walk.uris[1]}; run_id ${walk.runId}`,
  });
  return walk;
}

async function answer(
  walk: GuardedWalk,
  name: string,
  decision: 'approve' | 'deny' = 'approve',
): Promise<void> {
  const subject = await approvable(walk.ctx, walk.runId);
  const statement = statementFor(subject, name, decision, walk.ctx.clock());
  const signature = await signStatement(statement, join(folder, name));
  await giveApproval(as(walk.ctx, { actor: name }), subject, statementText(statement), signature);
}

describe('approvals in a run', () => {
  it('let a dual step pass with two people, and not with one; the hold outlives whoever asked', async () => {
    const walk = await held({ approval_class: 'dual' });
    expect(await walk.consume()).toMatchObject({ error_code: 'PROPOSAL_ON_HOLD' });
    await answer(walk, 'bob');
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { needed: 2, given: 1 } });
    await answer(walk, 'bob');
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { needed: 2, given: 1 } });
    await answer(walk, 'cyd');
    expect(await walk.propose()).toMatchObject({ decision: 'ALLOW', approvals: { needed: 2, given: 2 } });
    const opened = await walk.consume();
    expect(opened.challenge).toMatchObject({ type: 'shell', shell: { cmd: GUARDED_CMD } });
    expect((await walk.solve(2, opened.challenge, shellOk)).protocol_status).toBe('completed');
    expect((await walk.kinds()).filter((kind) => kind === 'approval.given')).toHaveLength(3);
  });

  it('end with one denial, whatever was approved before', async () => {
    const walk = await held({ approval_class: 'threshold', threshold: { n: 2, of: PEOPLE } });
    await answer(walk, 'bob');
    await answer(walk, 'cyd');
    await answer(walk, 'dan', 'deny');
    expect(await walk.propose()).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-140' }] });
    expect((await walk.consume()).error_code).toBe('PROPOSAL_REQUIRED');
  });

  it('run out, and are looked at again when the permit is consumed', async () => {
    const walk = await held({ approval_class: 'single' }, { ttl_ms: 60_000 });
    await answer(walk, 'bob');
    expect((await walk.propose()).decision).toBe('ALLOW');
    walk.ctx.clock.advance(60_000);
    expect((await walk.consume()).error_code).toBe('PROPOSAL_ON_HOLD');
  });

  it("are never the proposer's own, by key or by account", async () => {
    const walk = await held({ approval_class: 'single' }, { terminal: true });
    const subject = await approvable(walk.ctx, walk.runId);
    expect(() => approverByKey(subject, publicKey('ada'))).toThrow('cannot approve');
    expect(() => approverByAccount(subject, 'ada', 'approve')).toThrow('cannot approve');
    await answer(walk, 'ada');
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
  });

  it('at a terminal count for single alone, and only where the policy says so', async () => {
    const dual = await held({ approval_class: 'dual' }, { terminal: true });
    const single = await held({ approval_class: 'single' });
    for (const walk of [dual, single]) {
      const subject = await approvable(walk.ctx, walk.runId);
      expect(() => approverByAccount(subject, 'bob', 'approve')).toThrow('does not count');
      // Put on record all the same, it still counts for nothing.
      const text = statementText(statementFor(subject, 'bob', 'approve', walk.ctx.clock()));
      await giveApproval(as(walk.ctx, { actor: 'bob' }), subject, text, null);
      expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
    }
  });

  it("are refused when forged: another's signature, a changed statement, another proposal", async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    const forged = await signStatement(statement, join(folder, 'ada'));
    await expect(giveApproval(walk.ctx, subject, statementText(statement), forged)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    const other = { ...statement, proposal_hash: 'f'.repeat(64) };
    const signed = await signStatement(other, join(folder, 'bob'));
    for (const text of [statementText(other), statementText(statement)]) {
      await expect(giveApproval(walk.ctx, subject, text, signed)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });

  it('that a record merely claims are not counted: every signature is verified again', async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    const { record } = await import('../../src/run/service/next.ts');
    await record(walk.ctx, walk.runId, 'approval.given', {
      step: 2,
      proposal_hash: statement.proposal_hash,
      decision: 'approve',
      approver: 'bob',
      source: 'ssh',
      key: publicKey('bob').split(' ').slice(0, 2).join(' '),
      statement: statementText(statement),
      signature: await signStatement(statement, join(folder, 'ada')),
      expires_at_ms: statement.expires_at_ms,
      by: 'ada',
    });
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
  });
});

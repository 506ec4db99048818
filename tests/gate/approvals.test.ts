import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApprovalStatement, statementText } from '../../src/gate/approval/statement.ts';
import { signApproval } from '../../src/host/ssh/sign.ts';
import {
  approvable,
  approverByAccount,
  approverByKey,
  giveApproval,
  requireAnswerable,
  statementFor,
} from '../../src/operations/approve.ts';
import { record, skipStep } from '../../src/operations/next.ts';
import { rebaseRun } from '../../src/operations/resume.ts';
import { chainId, digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { as } from '../support/context.ts';
import { makeSshKey } from '../support/ssh-key.ts';
import { shellOk } from '../support/walk.ts';
import { policyOf } from './support/case.ts';
import { GUARDED_CMD, type GuardedWalk, guardedProtocol, walkToGuard } from './support/walk.ts';

const PEOPLE = ['bob', 'cyd', 'dan'];
const UNCOUNTED = 'would not count';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-approvals-'));
  for (const name of [...PEOPLE, 'ada']) makeSshKey(join(folder, name));
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
  hash?: string,
): Promise<void> {
  const subject = await approvable(walk.ctx, walk.runId, hash);
  const statement = statementFor(subject, name, decision, walk.ctx.clock());
  const signature = await signApproval(statement, join(folder, name));
  await giveApproval(as(walk.ctx, { actor: name }), subject, statementText(statement), signature);
}

/** Writes an answer into the ledger as if it had been taken. */
async function onRecord(
  walk: GuardedWalk,
  statement: ApprovalStatement,
  proof: { signature: string | null; key: string | null; by: string },
): Promise<void> {
  const { step, proposal_hash, decision, approver, expires_at_ms } = statement;
  await record(walk.ctx, walk.runId, 'approval.given', {
    step,
    proposal_hash,
    decision,
    approver,
    expires_at_ms,
    source: proof.signature === null ? 'terminal' : 'ssh',
    statement: statementText(statement),
    ...proof,
  });
}
const keyOf = (name: string) => publicKey(name).split(' ').slice(0, 2).join(' ');

describe('approvals in a run', () => {
  it('let a dual step pass with two people, and not with one; the hold outlives its requester', async () => {
    const walk = await held({ approval_class: 'dual' });
    expect(await walk.consume()).toMatchObject({ error_code: 'PROPOSAL_ON_HOLD' });
    await answer(walk, 'bob');
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { needed: 2, given: 1 } });
    await expect(answer(walk, 'bob')).rejects.toMatchObject({
      message: expect.stringContaining('has approved it already'),
    });
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { needed: 2, given: 1 } });
    await answer(walk, 'cyd');
    expect(await walk.propose()).toMatchObject({ decision: 'ALLOW', approvals: { needed: 2, given: 2 } });
    const opened = await walk.consume();
    expect(opened.challenge).toMatchObject({ type: 'shell', shell: { cmd: GUARDED_CMD } });
    expect((await walk.solve(2, opened.challenge, shellOk)).protocol_status).toBe('completed');
    expect((await walk.kinds()).filter((kind) => kind === 'approval.given')).toHaveLength(2);
  });

  it('end with one denial, after any approvals', async () => {
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
    await expect(answer(walk, 'ada')).rejects.toMatchObject({ message: expect.stringContaining(UNCOUNTED) });
    // Put on record all the same, it counts for nothing.
    const statement = statementFor(subject, 'ada', 'approve', walk.ctx.clock());
    const signature = await signApproval(statement, join(folder, 'ada'));
    await onRecord(walk, statement, { signature, key: keyOf('ada'), by: 'ada' });
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
  });

  it('at a terminal count only for single, and only where the policy allows it', async () => {
    const dual = await held({ approval_class: 'dual' }, { terminal: true });
    const single = await held({ approval_class: 'single' });
    for (const walk of [dual, single]) {
      const subject = await approvable(walk.ctx, walk.runId);
      expect(() => approverByAccount(subject, 'bob', 'approve')).toThrow('does not count');
      const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
      await expect(
        giveApproval(as(walk.ctx, { actor: 'bob' }), subject, statementText(statement), null),
      ).rejects.toMatchObject({ message: expect.stringContaining(UNCOUNTED) });
      await onRecord(walk, statement, { signature: null, key: null, by: 'bob' });
      expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
    }
  });

  it("are refused when forged: another's signature, a changed statement, another proposal", async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    const forged = await signApproval(statement, join(folder, 'ada'));
    await expect(giveApproval(walk.ctx, subject, statementText(statement), forged)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    const other = { ...statement, proposal_hash: 'f'.repeat(64) };
    const signed = await signApproval(other, join(folder, 'bob'));
    for (const text of [statementText(other), statementText(statement)]) {
      await expect(giveApproval(walk.ctx, subject, text, signed)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });

  it('that a record only claims are not counted: every signature is verified again', async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    const signature = await signApproval(statement, join(folder, 'ada'));
    await onRecord(walk, statement, { signature, key: keyOf('bob'), by: 'ada' });
    expect(await walk.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
  });
});

describe('an answer that could have no effect', () => {
  /** Refused for this reason, and nothing is recorded. */
  async function refused(
    walk: GuardedWalk,
    decision: 'approve' | 'deny',
    reason: string,
    hash?: string,
    name = 'bob',
  ): Promise<void> {
    const before = await walk.kinds();
    const error = { code: 'INVALID_INPUT', message: expect.stringContaining(reason) };
    await expect(answer(walk, name, decision, hash)).rejects.toMatchObject(error);
    expect(await walk.kinds()).toEqual(before);
  }
  const both = async (walk: GuardedWalk, reason: string, hash?: string) => {
    await refused(walk, 'approve', reason, hash);
    await refused(walk, 'deny', reason, hash);
  };

  it('to a denied proposal: a yes is refused; a no is accepted, and keeps it from coming back', async () => {
    const walk = await walkToGuard({ policy: policy({ approval_class: 'single', actors: ['eve'] }) });
    const denied = await walk.propose(walk.shown.challenge!.proposal_draft);
    expect(denied).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-132' }] });
    await refused(walk, 'approve', 'it was denied');
    // The policy lets it through now; what stands is the denial, until it is submitted again.
    const lenient = policyOf(policy({ approval_class: 'single' }));
    walk.ctx.policy = async () => lenient;
    walk.ctx.adoptsPolicy = true;
    await refused(walk, 'approve', 'it was denied');
    await answer(walk, 'bob', 'deny');
    expect(await walk.propose(walk.shown.challenge!.proposal_draft)).toMatchObject({
      decision: 'DENY',
      reasons: [{ code: 'K-PROP-140' }],
    });
  });

  it('to one that a person has denied, in a corrected document either', async () => {
    const walk = await held({ approval_class: 'single' });
    const draft = walk.shown.challenge!.proposal_draft;
    await answer(walk, 'bob', 'deny');
    const { document } = await parseProtocol(guardedProtocol().replace('Look back.', 'Look back twice.'));
    const content = toContent(document.chains[0]!);
    await rebaseRun(
      walk.ctx,
      walk.runId,
      {
        ...{ chainId: chainId('default', content.slug), digest: digest(content), content, space: 'default' },
        ...{ number: 0, author: 'ada', llmModelId: null, createdAt: '2026-01-15T12:00:00.000Z' },
        weakened: null,
      },
      {},
    );
    expect(await walk.propose(draft)).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-140' }] });
    // Another proposal is judged by itself.
    expect(await walk.propose({ ...draft!, proposal_id: 'another' })).toMatchObject({ decision: 'HOLD' });
  });

  it("to one that a person has denied, before and after the gate's answer", async () => {
    const walk = await held({ approval_class: 'dual' });
    await answer(walk, 'bob', 'deny');
    await refused(walk, 'approve', 'K-PROP-140', undefined, 'cyd');
    await refused(walk, 'deny', 'the same person has denied it already');
    // Keys get revoked: another person's no is worth having.
    await answer(walk, 'cyd', 'deny');
    expect((await walk.propose()).decision).toBe('DENY');
    await refused(walk, 'approve', 'it was denied', undefined, 'dan');
  });

  it('to one whose permit was used, while nothing is known of it and after', async () => {
    const walk = await held({ approval_class: 'single' });
    await answer(walk, 'bob');
    const { proposal_hash: hash } = await walk.propose();
    const opened = await walk.consume();
    await both(walk, 'its permit has been used');
    await walk.solve(2, opened.challenge, shellOk);
    await both(walk, 'its permit has been used', hash!);
  });

  it('to one whose window is past: the gate would deny it now', async () => {
    const walk = await held({ approval_class: 'single' });
    walk.ctx.clock.advance(300_000);
    await refused(walk, 'approve', 'V-PROP-010');
    await answer(walk, 'bob', 'deny');
  });

  it('to one that another has replaced: a yes is refused until it is submitted again, a no is accepted', async () => {
    const walk = await held({ approval_class: 'single' });
    const first = walk.shown.challenge!.proposal_draft!;
    const { proposal_hash: hash } = await walk.propose(first);
    await walk.propose({ ...first, proposal_id: 'another' });
    await refused(walk, 'approve', 'another one was submitted', hash!);
    expect((await walk.propose(first)).decision).toBe('HOLD');
    await answer(walk, 'bob', 'approve', hash!);
    await walk.propose({ ...first, proposal_id: 'another' });
    await answer(walk, 'cyd', 'deny', hash!);
    expect(await walk.propose(first)).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-140' }] });
  });

  it('to one of a step that the run has passed without it', async () => {
    const walk = await walkToGuard({
      policy: policy({ approval_class: 'single' }),
      proof: { required: false },
    });
    const { proposal_hash: hash } = await walk.propose(walk.shown.challenge!.proposal_draft);
    await skipStep(walk.ctx, walk.runId, 'Not needed today.');
    await both(walk, 'the run is past it', hash!);
  });

  it('to one that needs no approval; a no ends it all the same', async () => {
    const walk = await walkToGuard({ policy: policy({}) });
    expect((await walk.propose(walk.shown.challenge!.proposal_draft)).decision).toBe('ALLOW');
    await refused(walk, 'approve', 'it needs no approval');
    await answer(walk, 'bob', 'deny');
    expect((await walk.consume()).error_code).toBe('PROPOSAL_DENIED');
  });

  it('from a person who is not among the approvers, or with an invalid key', async () => {
    const outsider = await held({ approval_class: 'threshold', threshold: { n: 2, of: ['cyd', 'dan'] } });
    await refused(outsider, 'approve', UNCOUNTED);
    const revoked = policy({ approval_class: 'single' });
    for (const { name, keys } of revoked.approvers)
      if (name === 'bob') Object.assign(keys[0]!, { revoked: true });
    const walk = await walkToGuard({ policy: revoked });
    await walk.propose(walk.shown.challenge!.proposal_draft);
    await both(walk, UNCOUNTED);
    await answer(walk, 'cyd');
    expect((await walk.propose()).decision).toBe('ALLOW');
  });

  it('is seen before an approver is asked for it', async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    await requireAnswerable(walk.ctx, subject, 'approve');
    walk.ctx.clock.advance(300_000);
    await expect(requireAnswerable(walk.ctx, subject, 'approve')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('it would be denied now: V-PROP-010'),
    });
    await requireAnswerable(walk.ctx, subject, 'deny');
  });

  it('comes too late when the run was sealed in between', async () => {
    const walk = await held({ approval_class: 'single' });
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
    const signature = await signApproval(statement, join(folder, 'bob'));
    await walk.attest({ outcome: 'failure' });
    const late = giveApproval(walk.ctx, subject, statementText(statement), signature);
    await expect(late).rejects.toMatchObject({ message: expect.stringContaining('its run is sealed') });
    expect((await walk.kinds()).at(-1)).toBe('run.sealed');
  });
});

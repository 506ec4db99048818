import { expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { approvable, giveApproval, statementFor } from '../../src/operations/approve.ts';
import { next, skipStep } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import { beginRollback, planRollback } from '../../src/operations/rollback.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { as, makeContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';
import { shellBad, shellOk, startWalk } from '../support/walk.ts';
import { policyOf } from './support/case.ts';
import { TEMPLATE, walkToGuard } from './support/walk.ts';

const look = { proof_of_work: { type: 'shell', shell: { cmd: 'crm-read 12345' } } };
const act = {
  proof_of_work: { type: 'shell', shell: { cmd: 'crm-update', timeout_seconds: 60 }, required: false },
  proposal: TEMPLATE,
};

it('a proposal of one step never counts for another, however often it is submitted there; both stay on record', async () => {
  const ctx = await makeContext();
  const document = `# Twice\n\n${stepOf('Look', 'Look first.', look)}\n${stepOf('Do', 'Do it.', act)}\n${stepOf('Do again', 'Do it again.', act)}`;
  const walk = await startWalk(ctx, document);
  const solution = {
    ...shellOk,
    nonce: walk.begun.challenge!.nonce,
    proof_hash: walk.begun.challenge!.proof_hash,
  };
  const shown = await next(
    ctx,
    { uri: walk.uris[0]!, run_id: walk.runId, solution },
    { assurance: 'observed' },
  );
  const proposal = shown.challenge!.proposal_draft;
  const submit = (step: number) => propose(ctx, { uri: walk.uris[step - 1]!, run_id: walk.runId, proposal });
  const { proposal_hash } = await submit(2);
  await skipStep(ctx, walk.runId, 'Not today.');

  for (let times = 0; times < 3; times += 1) {
    expect(await submit(3)).toMatchObject({
      decision: 'DENY',
      reasons: [{ code: 'K-PROP-110', pointer: '/proposal_id' }],
      proposal_hash,
    });
    expect(await next(ctx, { uri: walk.uris[2]!, run_id: walk.runId })).toMatchObject({
      error_code: 'PROPOSAL_REQUIRED',
    });
  }
  const { state } = (await loadRun(ctx, walk.runId))!;
  expect(
    [...state.gate.proposals.values()].map(({ hash, step, decision }) => [hash, step, decision]),
  ).toEqual([
    [proposal_hash, 2, 'ALLOW'],
    [proposal_hash, 3, 'DENY'],
  ]);
  const policy = policyOf({ version: 1 });
  const subject = await approvable({ ...ctx, policy: async () => policy }, walk.runId, proposal_hash!);
  expect(subject.proposal.step).toBe(2);
});

it("the approved proposal of a rollback doesn't count for the step, and submitting it there does no harm", async () => {
  const template = {
    evidence_bindings: undefined,
    preconditions: undefined,
    risk_envelope: undefined,
    effects: undefined,
    time_window: undefined,
  };
  const open = { version: 1, rules: [{ match: {}, evidence_optional: true }] };
  const walk = await walkToGuard({ template, policy: open });
  await walk.propose(walk.shown.challenge!.proposal_draft);
  const opened = await walk.consume();
  await walk.solve(2, opened.challenge, shellBad);

  const strict = policyOf({
    version: 1,
    rules: [{ match: {}, approval_class: 'single', evidence_optional: true }],
    approvers: [{ name: 'bob', actors: ['bob'], keys: [] }],
    approvals: { terminal: true },
  });
  walk.ctx.policy = async () => strict;
  walk.ctx.adoptsPolicy = true;
  const plan = await planRollback(walk.ctx, walk.runId, 2);
  const { answer } = await beginRollback(walk.ctx, plan, false);
  const bob = as(walk.ctx, { actor: 'bob' });
  const subject = await approvable(bob, walk.runId, answer.proposal_hash!);
  const statement = statementFor(subject, 'bob', 'approve', walk.ctx.clock());
  await giveApproval(bob, subject, statementText(statement), null);

  // To do it again is something else than what was approved: undoing it.
  expect(await walk.propose(subject.proposal.text)).toMatchObject({
    decision: 'DENY',
    proposal_hash: answer.proposal_hash,
    reasons: [{ code: 'K-PROP-110' }],
  });
  expect((await walk.consume()).error_code).toBe('PROPOSAL_REQUIRED');
  const { order } = await beginRollback(walk.ctx, plan, false);
  expect(order).toMatchObject({ demand: { shell: { cmd: 'crm-restore 12345' } } });
});

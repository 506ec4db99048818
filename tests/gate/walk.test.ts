import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { next } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import { as } from '../support/context.ts';
import { shellBad, shellOk } from '../support/walk.ts';
import { policyOf } from './support/case.ts';
import { GUARDED_CMD, type GuardedWalk, TEMPLATE, walkToGuard } from './support/walk.ts';

const OPEN_POLICY = { version: 1, rules: [{ match: { action_types: ['write'] } }] };

describe('a gated step', () => {
  it('withholds its command, shows the template and a proposal that is valid unchanged', async () => {
    const walk = await walkToGuard();
    const { challenge, next_action, message } = walk.shown;
    expect(JSON.stringify(walk.shown)).not.toContain(GUARDED_CMD);
    expect({ next_action, message }).toEqual({
      next_action: `call kairos_propose with ${walk.uris[1]} and proposal completing challenge.proposal_draft; run_id ${walk.runId}`,
      message: undefined,
    });
    const now = walk.ctx.clock();
    expect(challenge).toEqual({
      type: 'proposal',
      description: expect.any(String),
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      proof_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      proposal: TEMPLATE,
      proposal_draft: {
        proposal_id: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        ts_ms: now,
        actor: 'ada',
        action_type: 'write',
        target: TEMPLATE.target,
        parameters: {},
        preconditions: TEMPLATE.preconditions,
        risk_envelope: TEMPLATE.risk_envelope,
        time_window: { valid_from_ms: now, valid_until_ms: now + 300_000, max_duration_ms: 30_000 },
      },
    });
    const answer = await walk.propose(challenge!.proposal_draft);
    expect(answer).toMatchObject({
      decision: 'ALLOW',
      reasons: [],
      protocol_status: 'continue',
      permit_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: new Date(now + 300_000).toISOString(),
      next_action: `call kairos_next with ${walk.uris[2]}; run_id ${walk.runId}`,
    });
    expect(JSON.stringify(answer)).not.toContain(GUARDED_CMD);
    expect(answer.error_code).toBeUndefined();
  });

  it('shows the command once its permit is consumed, with its timeout capped and parameters as variables', async () => {
    const walk = await walkToGuard();
    const proposal = {
      ...walk.shown.challenge!.proposal_draft,
      parameters: { note: '$(rm -rf ~)', count: 2 },
    };
    await walk.propose(proposal);
    const opened = await walk.consume();
    expect(opened.error_code).toBeUndefined();
    expect(opened.challenge).toMatchObject({
      type: 'shell',
      shell: { cmd: GUARDED_CMD, timeout_seconds: 30 },
      environment: { KAIROS_PARAM_NOTE: '$(rm -rf ~)', KAIROS_PARAM_COUNT: '2' },
    });
    expect(opened.next_action).toBe(
      `call kairos_next with ${walk.uris[2]} and solution matching challenge; run_id ${walk.runId}`,
    );
    const done = await walk.solve(2, opened.challenge, shellOk);
    expect(done).toMatchObject({ protocol_status: 'completed', proof_hash: expect.any(String) });
    const entries = await walk.ctx.store.readEntries(walk.runId);
    expect(entries.find(({ kind }) => kind === 'permit.consumed')?.data).toMatchObject({
      step: 2,
      env: ['KAIROS_PARAM_COUNT', 'KAIROS_PARAM_NOTE'],
      policy_digest: null,
      rollback: false,
    });
    expect(entries.findLast(({ kind }) => kind === 'proof.accepted')?.data.receipt).toEqual({
      permit_id: expect.any(String),
      proposal_hash: expect.any(String),
      max_affected_records: 1,
      affected_records: null,
      effects: 'unverified',
    });
    await walk.attest();
    const all = await walk.ctx.store.readEntries(walk.runId);
    const seal = await walk.ctx.store.readSeal(walk.runId);
    expect(verifyEntries(all, seal, { runId: walk.runId, expectSealed: true })).toMatchObject({
      status: 'whole',
    });
  });

  it('refuses every solution before that, counts none and proves nothing', async () => {
    const walk = await walkToGuard();
    for (const payload of [
      shellOk,
      shellBad,
      { type: 'comment', comment: { text: 'It was all done already.' } },
    ]) {
      const answer = await walk.solve(2, walk.shown.challenge, payload);
      expect(answer).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', must_obey: true });
      expect(answer.retry_count ?? 0).toBe(0);
    }
    await walk.propose(walk.shown.challenge!.proposal_draft);
    expect((await walk.solve(2, walk.shown.challenge, shellOk)).error_code).toBe('PROPOSAL_REQUIRED');
    expect(await walk.attest()).toMatchObject({ error_code: 'MISSING_PROOF' });
    expect((await walk.kinds()).filter((kind) => kind === 'proof.accepted')).toHaveLength(1);
  });

  it('accepts no nonce that was shown before the permit was used', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const opened = await walk.consume();
    expect((await walk.solve(2, walk.shown.challenge, shellOk)).error_code).toBe('PROPOSAL_REQUIRED');
    expect((await walk.solve(2, opened.challenge, shellOk)).protocol_status).toBe('completed');
  });

  it('asks for a new proposal after a failure, and refuses the used one', async () => {
    const walk = await walkToGuard();
    const draft = walk.shown.challenge!.proposal_draft;
    await walk.propose(draft);
    const opened = await walk.consume();
    const failed = await walk.solve(2, opened.challenge, shellBad);
    expect(failed).toMatchObject({
      error_code: 'COMMAND_FAILED',
      retry_count: 1,
      challenge: { type: 'proposal' },
      next_action: `call kairos_propose with ${walk.uris[1]} and proposal completing challenge.proposal_draft; run_id ${walk.runId}`,
    });
    expect(failed.message).toContain('can be rolled back');
    expect(await walk.propose(draft)).toMatchObject({
      error_code: 'PROPOSAL_DENIED',
      reasons: [{ code: 'K-PROP-110', pointer: '/proposal_id' }],
    });
    expect((await walk.consume()).error_code).toBe('PROPOSAL_REQUIRED');
    await walk.propose(failed.challenge!.proposal_draft);
    const again = await walk.consume();
    expect(again.challenge).toMatchObject({ type: 'shell', shell: { cmd: GUARDED_CMD } });
    expect((await walk.solve(2, again.challenge, shellOk)).protocol_status).toBe('completed');
  });

  it('denies another content under a used id, and leaves the first content what it was', async () => {
    const walk = await walkToGuard();
    const draft = walk.shown.challenge!.proposal_draft!;
    expect(await walk.propose(draft)).toMatchObject({ decision: 'ALLOW' });
    expect(await walk.propose({ ...draft, parameters: { note: 'other' } })).toMatchObject({
      decision: 'DENY',
      reasons: [{ code: 'K-PROP-110', pointer: '/proposal_id' }],
    });
    expect(await walk.propose(draft)).toMatchObject({ decision: 'ALLOW', reasons: [] });
    expect((await walk.consume()).challenge).toMatchObject({ type: 'shell' });
  });

  it('leaves a used permit without a record as an unknown outcome, and never shows the command again', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    await walk.consume();
    const again = await walk.consume();
    expect(again).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', challenge: { type: 'proposal' } });
    expect(again.message).toContain('its outcome is unknown');
    expect(JSON.stringify(again)).not.toContain(GUARDED_CMD);
    await walk.propose(again.challenge!.proposal_draft);
    expect((await walk.consume()).challenge?.type).toBe('shell');
  });

  it('judges time and evidence again when the permit is consumed', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    walk.ctx.clock.advance(300_000);
    const late = await walk.consume();
    expect(late).toMatchObject({ error_code: 'PROPOSAL_REQUIRED' });
    expect(late.message).toContain('expired');
    walk.ctx.clock.advance(290_000);
    const renewed = (await walk.consume()).challenge!;
    expect((await walk.propose(renewed.proposal_draft)).decision).toBe('ALLOW');
    walk.ctx.clock.advance(10_001);
    expect(await walk.consume()).toMatchObject({ error_code: 'PROPOSAL_DENIED' });
  });

  it('judges again under a policy that changed in between, and keeps its digest in the ledger', async () => {
    const walk = await walkToGuard({ policy: OPEN_POLICY });
    expect((await walk.ctx.store.readEntries(walk.runId))[0]!.data.policy_digest).toBe(
      policyOf(OPEN_POLICY).digest,
    );
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const stricter = policyOf({ version: 1, rules: [{ match: {}, actors: ['bob'] }] });
    walk.ctx.policy = async () => stricter;
    expect(await walk.consume()).toMatchObject({ error_code: 'PROPOSAL_DENIED' });
    const last = (await walk.ctx.store.readEntries(walk.runId)).findLast(
      ({ kind }) => kind === 'proposal.decided',
    );
    expect(last?.data).toMatchObject({ decision: 'DENY', policy_digest: stricter.digest });
    expect((await walk.kinds()).includes('permit.consumed')).toBe(false);
  });

  it('gives the permit only to the proposer', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    expect((await walk.consume(as(walk.ctx, { actor: 'eve' }))).error_code).toBe('PROPOSAL_REQUIRED');
    expect((await walk.consume()).challenge?.type).toBe('shell');
  });

  it('denies and reports every reason; nothing is claimed as evidence', async () => {
    const walk = await walkToGuard();
    const answer = await walk.propose({
      ...walk.shown.challenge!.proposal_draft,
      actor: 'root',
      approval_class: 'single',
      sudo: true,
    });
    expect(answer).toMatchObject({
      decision: 'DENY',
      error_code: 'PROPOSAL_DENIED',
      next_action: `retry kairos_propose with ${walk.uris[1]} -- correct what reasons name; run_id ${walk.runId}`,
    });
    expect(answer.reasons!.map(({ code }) => code)).toEqual(['K-PROP-106', 'K-PROP-109', 'V-PROP-014']);
    expect(answer.permit_id).toBeUndefined();
  });

  it('accepts no claim as evidence', async () => {
    const walk = await walkToGuard({ assurance: 'claimed' });
    expect(await walk.propose(walk.shown.challenge!.proposal_draft)).toMatchObject({
      decision: 'DENY',
      reasons: [{ code: 'V-PROP-013', pointer: '/preconditions/0/evidence_ref' }],
    });
  });

  it('judges only at the gated step that is pending', async () => {
    const walk = await walkToGuard();
    const answer = await propose(walk.ctx, { uri: walk.uris[0]!, run_id: walk.runId, proposal: {} });
    expect(answer).toMatchObject({ error_code: 'OUT_OF_ORDER', challenge: { type: 'proposal' } });
    expect(answer.decision).toBeUndefined();
  });

  it('does not write the same decision twice, and gives the same permit again', async () => {
    const walk = await walkToGuard();
    const draft = walk.shown.challenge!.proposal_draft;
    const first = await walk.propose(draft);
    walk.ctx.clock.advance(1000);
    const second = await walk.propose(draft);
    expect(second.permit_id).toBe(first.permit_id);
    expect((await walk.kinds()).filter((kind) => kind === 'proposal.decided')).toHaveLength(1);
  });

  it('of 50 parallel attempts lets exactly one have the command', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const answers = await Promise.all(Array.from({ length: 50 }, () => walk.consume()));
    const shown = answers.filter((answer) => JSON.stringify(answer).includes(GUARDED_CMD));
    expect(shown).toHaveLength(1);
    expect(answers.filter(({ error_code }) => error_code === 'PROPOSAL_REQUIRED')).toHaveLength(49);
    expect((await walk.kinds()).filter((kind) => kind === 'permit.consumed')).toHaveLength(1);
    // The challenges that the others got leave the one under the permit good.
    const { nonce, proof_hash } = shown[0]!.challenge!;
    const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
    const proven = await next(walk.ctx, { uri: walk.uris[1]!, run_id: walk.runId, solution });
    expect(proven.error_code).toBeUndefined();
    expect((await walk.kinds()).at(-2)).toBe('proof.accepted');
  }, 60_000);
});

describe('a name that was given', () => {
  it('is on the record, and is not who proposes', async () => {
    const walk = await walkToGuard();
    const named = as(walk.ctx, { actor: 'mira', actorOrigin: 'flag', identity: 'ada' });
    expect(
      await walk.propose({ ...draftOf(walk), proposal_id: randomUUID(), actor: 'mira' }, named),
    ).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-109' }] });
    expect(await walk.propose(draftOf(walk), named)).toMatchObject({ decision: 'ALLOW' });
    const entries = await walk.ctx.store.readEntries(walk.runId);
    const decided = entries.filter(({ kind }) => kind === 'proposal.decided');
    expect(decided.map(({ data }) => data.actor)).toEqual(['ada', 'ada']);
    // A permit is of the account: under the same name, another account has none.
    const eve = as(walk.ctx, { actor: 'ada', actorOrigin: 'flag', identity: 'eve' });
    expect((await walk.consume(eve)).error_code).toBe('PROPOSAL_REQUIRED');
    expect((await walk.consume(named)).error_code).toBeUndefined();
    const shown = (await walk.ctx.store.readEntries(walk.runId)).filter(({ kind }) => kind === 'step.shown');
    expect(shown.at(-1)?.data).toMatchObject({ by: 'mira', by_account: 'ada' });
  });
});

function draftOf({ shown }: GuardedWalk): Record<string, unknown> {
  return { ...(shown.challenge as { proposal_draft: object }).proposal_draft };
}

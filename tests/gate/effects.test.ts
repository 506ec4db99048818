import { expect, it } from 'vitest';
import { next } from '../../src/operations/next.ts';
import { walkToGuard } from './support/walk.ts';

/** Solves the gated step with an output that says how many records were affected. */
async function affecting(records: number, assurance: 'observed' | 'claimed') {
  const walk = await walkToGuard();
  await walk.propose(walk.shown.challenge!.proposal_draft);
  const { challenge } = await walk.consume();
  const { nonce, proof_hash } = challenge!;
  const stdout = JSON.stringify({ affected_records: records });
  const answer = await next(
    walk.ctx,
    {
      uri: walk.uris[1]!,
      run_id: walk.runId,
      solution: { type: 'shell', nonce, proof_hash, shell: { exit_code: 0, stdout } },
    },
    { assurance },
  );
  return { walk, answer };
}

it('fails the step when more was affected than permitted, and offers the rollback', async () => {
  const { walk, answer } = await affecting(5000, 'observed');
  expect(answer).toMatchObject({ error_code: 'EFFECT_EXCEEDED', retry_count: 1 });
  expect(answer.message).toContain('permitted to affect at most 1 records and has affected 5000');
  expect(answer.message).toContain(`kairos rollback ${walk.runId} 2`);
  const entries = await walk.ctx.store.readEntries(walk.runId);
  expect(entries.find(({ kind }) => kind === 'proof.rejected')?.data).toMatchObject({
    code: 'EFFECT_EXCEEDED',
    waived: false,
    receipt: { affected_records: 5000, max_affected_records: 1, effects: 'exceeded' },
  });
  // What was permitted is spent: it takes a new proposal.
  expect(await walk.consume()).toMatchObject({ error_code: 'PROPOSAL_REQUIRED' });
});

it('accepts what stays within the bound, and calls a claimed number unverified', async () => {
  for (const [records, assurance, effects] of [
    [1, 'observed', 'within'],
    [5000, 'claimed', 'unverified'],
  ] as const) {
    const { walk, answer } = await affecting(records, assurance);
    expect(answer.error_code ?? null).toBeNull();
    const entries = await walk.ctx.store.readEntries(walk.runId);
    expect(entries.findLast(({ kind }) => kind === 'proof.accepted')?.data.receipt).toMatchObject({
      effects,
    });
  }
});

import { expect, it } from 'vitest';
import { GUARDED_CMD, walkToGuard } from '../gate/support/walk.ts';
import { shellOk } from '../support/walk.ts';

/** Steps that a proposal guards and that ask a model, or have files read, as well. */
const SAMPLING = {
  system: 'Count.',
  prompt: 'How many records are meant?',
  output_schema: { type: 'integer' },
};
const model = (result: unknown) => ({ type: 'sampling', sampling: { result } });

it('a failed file check spends the permit: another try needs a new proposal', async () => {
  const missing = { outputs: [{ path: 'absent.txt' }] };
  const walk = await walkToGuard({ beside: missing });
  expect(walk.shown.challenge).not.toHaveProperty('outputs');
  await walk.propose(walk.shown.challenge!.proposal_draft);
  const opened = await walk.consume();
  expect(opened.challenge).toMatchObject({ type: 'shell', ...missing });
  const refused = await walk.solve(2, opened.challenge, shellOk);
  expect(refused).toMatchObject({
    error_code: 'OUTPUT_MISMATCH',
    retry_count: 1,
    challenge: { type: 'proposal' },
    next_action: expect.stringContaining('call kairos_propose'),
    message: expect.stringContaining('can be rolled back'),
  });
  expect(await walk.solve(2, opened.challenge, { ...shellOk, more: 1 })).toMatchObject({
    error_code: 'PROPOSAL_REQUIRED',
  });
});

it('a passed file check is on record next to the receipt', async () => {
  const walk = await walkToGuard({ beside: { outputs: [{ path: 'report.txt' }] } });
  await walk.propose(walk.shown.challenge!.proposal_draft);
  const opened = await walk.consume();
  expect(await walk.solve(2, opened.challenge, shellOk)).toMatchObject({ protocol_status: 'completed' });
  const entries = await walk.ctx.store.readEntries(walk.runId);
  expect(entries.findLast(({ kind }) => kind === 'proof.accepted')?.data).toMatchObject({
    receipt: { effects: 'unverified' },
    outputs: [{ path: 'report.txt', files: [{ path: 'report.txt' }] }],
  });
});

it('a model is asked before the proposal, which its answer may serve; the command stays withheld', async () => {
  const walk = await walkToGuard({ beside: { sampling: SAMPLING } });
  expect(walk.shown.challenge).toMatchObject({ type: 'sampling' });
  expect(JSON.stringify(walk.shown)).not.toContain(GUARDED_CMD);
  const early = await walk.propose({});
  expect(early).toMatchObject({ error_code: 'OUT_OF_ORDER', challenge: { type: 'sampling' } });
  const gated = await walk.solve(2, early.challenge, model(1));
  expect(gated).toMatchObject({
    challenge: { type: 'proposal' },
    current_step: { uri: walk.uris[1] },
    next_action: expect.stringContaining(`call kairos_propose with ${walk.uris[1]}`),
  });
  expect(JSON.stringify(gated)).not.toContain(GUARDED_CMD);
  expect(await walk.propose(gated.challenge!.proposal_draft)).toMatchObject({ decision: 'ALLOW' });
  const opened = await walk.consume();
  expect(opened.challenge).toMatchObject({ type: 'shell', shell: { cmd: GUARDED_CMD } });
  expect(await walk.solve(2, opened.challenge, shellOk)).toMatchObject({ protocol_status: 'completed' });
  expect(await walk.attest()).toMatchObject({ next_action: null });
});

it('a step that only asks a model is withheld until its proposal is allowed', async () => {
  const walk = await walkToGuard({ beside: { sampling: SAMPLING, proof_of_work: undefined } });
  expect(walk.shown.challenge).toMatchObject({ type: 'proposal' });
  expect(JSON.stringify(walk.shown)).not.toContain(SAMPLING.prompt);
  expect(await walk.solve(2, walk.shown.challenge, model(1))).toMatchObject({
    error_code: 'PROPOSAL_REQUIRED',
  });
  await walk.propose(walk.shown.challenge!.proposal_draft);
  const opened = await walk.consume();
  expect(opened.challenge).toMatchObject({ type: 'sampling', sampling: SAMPLING });
  expect(await walk.solve(2, opened.challenge, model(1))).toMatchObject({ protocol_status: 'completed' });
});

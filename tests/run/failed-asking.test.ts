import { describe, expect, it } from 'vitest';
import { next } from '../../src/operations/next.ts';
import type { Challenge, RunErrorCode } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { protocolWith } from '../support/protocols.ts';
import { startWalk } from '../support/walk.ts';

const demand = (required: boolean) =>
  protocolWith({ proof_of_work: { type: 'user_input', user_input: { prompt: 'May it go on?' }, required } });

async function ask(required = true) {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, demand(required));
  const fail = (code: RunErrorCode, counted: boolean, { nonce, proof_hash }: Challenge) =>
    next(
      ctx,
      { uri: walk.uris[0]!, run_id: walk.runId, solution: { type: 'user_input', nonce, proof_hash } },
      { assurance: 'client', failed: { code, message: 'Nobody was there.', counted } },
    );
  return { ctx, walk, fail, challenge: walk.begun.challenge! };
}

describe('an attempt for which the interface could get nothing', () => {
  it.each([
    ['ELICITATION_FAILED', true, 0],
    ['SAMPLING_FAILED', false, 0],
    ['SAMPLING_INVALID_OUTPUT', true, 1],
  ] as const)('is refused with %s (counted %s) and advances nothing', async (code, counted, retries) => {
    const { ctx, walk, fail, challenge } = await ask();
    const answer = await fail(code, counted, challenge);
    expect(answer).toMatchObject({
      error_code: code,
      message: 'Nobody was there.',
      current_step: { uri: walk.uris[0]! },
      protocol_status: 'blocked',
    });
    expect(answer.retry_count ?? 0).toBe(retries);
    expect((await ctx.store.readEntries(walk.runId)).at(-2)).toMatchObject({
      kind: 'proof.rejected',
      data: { code, counted: retries > 0, waived: false, assurance: 'client' },
    });
  });

  it('never passes an optional step, because the agent may still answer', async () => {
    const { walk, fail, challenge } = await ask(false);
    const answer = await fail('ELICITATION_FAILED', false, challenge);
    expect(answer).toMatchObject({ error_code: 'ELICITATION_FAILED', current_step: { uri: walk.uris[0]! } });
  });

  it('spends its nonce, so that a late answer finds the door shut', async () => {
    const { walk, fail, challenge } = await ask();
    await fail('ELICITATION_FAILED', false, challenge);
    const late = await walk.solve(1, challenge, {
      type: 'user_input',
      user_input: { confirmation: 'approved' },
    });
    expect(late).toMatchObject({ error_code: 'NONCE_MISMATCH' });
  });

  it('still needs the right nonce: a step that is proven already stays so', async () => {
    const { walk, fail, challenge } = await ask();
    await walk.solve(1, (await walk.show(1)).challenge, {
      type: 'user_input',
      user_input: { confirmation: 'approved' },
    });
    expect(await fail('ELICITATION_FAILED', false, challenge)).toMatchObject({ error_code: 'CONFLICT' });
  });
});

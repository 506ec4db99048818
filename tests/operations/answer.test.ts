import { describe, expect, it } from 'vitest';
import { answerRun } from '../../src/operations/answer.ts';
import { next } from '../../src/operations/next.ts';
import { as, makeContext } from '../support/context.ts';
import { protocolOf, protocolWith, type StepKind } from '../support/protocols.ts';
import { startWalk } from '../support/walk.ts';

/** A run that asks a person first, whose agent has called for the answer; the person answers elsewhere. */
async function answered(...after: StepKind[]) {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['user_input', ...after], 'Asked'));
  const answer = await answerRun(as(ctx, { actor: 'grace', session: null }), walk.runId, {
    text: 'Yes.',
    assurance: 'client',
  });
  return { ctx, ...walk, answer };
}

describe('after a person answered elsewhere', () => {
  it.each(['shell', 'user_input', 'none'] as const)(
    'a call without a solution shows the next step, %s, and lacks nothing',
    async (kind) => {
      const { show, uris, runId } = await answered(kind, 'none');
      const shown = await show(2);
      expect(shown).toMatchObject({
        protocol_status: 'continue',
        next_action: `call kairos_next with ${uris[2]} and solution matching challenge; run_id ${runId}`,
        current_step: { uri: uris[1], content: 'Do part 2.' },
      });
      expect(shown).not.toHaveProperty('error_code');
      // From now on a solution is missing.
      expect(await show(2)).toMatchObject({ error_code: 'MISSING_PROOF' });
    },
  );

  it('the call that asks the user again shows the next step, and counts for nothing', async () => {
    const { ctx, uris, runId } = await answered('shell', 'none');
    const placeholder = { uri: uris[1]!, run_id: runId, solution: { type: 'user_input' } };
    const shown = await next(ctx, placeholder);
    expect(shown).toMatchObject({ protocol_status: 'continue', challenge: { type: 'shell' } });
    expect(await next(ctx, placeholder)).toMatchObject({ error_code: 'MISSING_PROOF', retry_count: 0 });
  });

  it('the answer itself names the call that shows the next step', async () => {
    const { answer, uris, runId } = await answered('shell', 'none');
    expect(answer).toMatchObject({
      next_action: `call kairos_next with ${uris[2]}; run_id ${runId}`,
      challenge: null,
    });
  });

  it('leads to attest where nothing is left', async () => {
    const { answer, show, uris, runId } = await answered();
    const attest = `call kairos_attest with ${uris[0]} and outcome (success or failure) and message to complete the protocol; run_id ${runId}`;
    expect(answer.next_action).toBe(attest);
    expect(await show(1)).toMatchObject({ protocol_status: 'completed', next_action: attest });
  });
});

describe('an answer that does not fit the step', () => {
  const asks = (more: object) =>
    protocolWith({
      proof_of_work: {
        type: 'user_input',
        user_input: { prompt: 'Delete it?', choices: ['delete', 'keep'] },
        ...more,
      },
    });

  it("is refused in a person's words, and is not a failed attempt", async () => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, asks({}));
    const wrong = answerRun(ctx, walk.runId, { text: 'zzz', assurance: 'client' });
    await expect(wrong).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: "the answer can't be used: The answer must be exactly one of these: delete, keep.",
    });
    expect(await walk.kinds()).not.toContain('proof.rejected');
  });

  it('is refused where the step asks for a person at a prompt, and a typed one is accepted', async () => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, asks({ assurance: 'client' }));
    const claimed = answerRun(ctx, walk.runId, { text: 'delete', assurance: 'claimed' });
    await expect(claimed).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await walk.kinds()).not.toContain('proof.rejected');
    const typed = await answerRun(ctx, walk.runId, { text: 'delete', assurance: 'client' });
    expect(typed.error_code ?? null).toBeNull();
  });

  it('leaves a refusal to the run', async () => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, asks({}));
    const declined = await answerRun(ctx, walk.runId, { text: 'rejected', assurance: 'client' });
    expect(declined.error_code).toBe('USER_DECLINED');
  });
});
